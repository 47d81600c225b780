import OdographCivilTime
import OdographGeoJSON
import Logging
import OdographJSON
import OdographModel
import OdographPositioning
import OdographSettings
import OdographThreads
import OdographTracking
import OdographWire

/// Receives geofences, lets ``GeofenceCatalog`` decide, and puts the result on the disk, into force and into the
/// report.
///
/// It runs on a thread of its own: a large document takes a second of work, and no other part should wait for it.
actor RemoteGeofences {
    /// The topic of a message.
    private struct Origin: Hashable, Sendable {
        var level: DownlinkLevel
        /// The identifier of a single fence. nil for a whole set.
        var identifier: String?
    }

    /// The maximum number of waiting topics. Messages of further ones are dropped; no operator uses that many.
    private static let maximumWaiting = 20_000

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let archive: GeofenceArchive
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let logger: Logger
    private var catalog: GeofenceCatalog
    private var generations: [GeofenceArchive.Generation] {
        didSet { newestGeneration.withLock { $0 = generations.first } }
    }
    /// The generation whose files should be on the disk, for the periodic check. nil for none.
    private let newestGeneration = Lock<GeofenceArchive.Generation?>(nil)
    /// Whether the last attempt to save the geofences failed.
    private let isUnsaved = Lock(false)
    private var pipeline: InputPipeline?
    /// The groups of the device.
    private let groups: Lock<[String]>

    private let inbox = DocumentInbox<Origin>(capacity: maximumWaiting)
    private let changeObserver = Lock<(@Sendable () -> Void)?>(nil)

    private init(
        catalog: GeofenceCatalog, groups: [String], generations: [GeofenceArchive.Generation],
        archive: GeofenceArchive,
        executor: ThreadExecutor, address: DeviceAddress, clock: any AgentClock, problems: ProblemRegistry,
        logger: Logger
    ) {
        self.catalog = catalog
        self.groups = Lock(groups)
        self.generations = generations
        self.archive = archive
        self.executor = executor
        self.address = address
        self.clock = clock
        self.problems = problems
        self.logger = logger
        newestGeneration.withLock { $0 = generations.first }
    }

    /// Checks that the geofence files still exist, and writes them again if they were deleted or could not be saved.
    /// Costs one system call for each file.
    nonisolated func verifyFiles() {
        if isUnsaved.withLock({ $0 }) { return _ = Task { await self.applyGeofences() } }
        guard let generation = newestGeneration.withLock({ $0 }), !archive.containsFiles(of: generation) else { return }
        Task { await self.rewriteFiles() }
    }

    private func rewriteFiles() async {
        guard let generation = generations.first, !archive.containsFiles(of: generation) else { return }
        logger.warning(
            "\(archive.folder): geofence files were deleted while the agent ran; writing them again")
        generations = []
        await applyGeofences()
    }

    // MARK: The last run

    /// Loads the geofences of the last run. If they cannot be read, raises a problem and waits for the broker.
    /// - Parameter groups: The groups in force.
    /// - Throws: `ThreadLimitError` if the system starts no further thread.
    static func load(
        _ configuration: AgentConfiguration, groups: [String], clock: any AgentClock, problems: ProblemRegistry,
        logger: Logger
    ) async throws -> RemoteGeofences {
        let executor = try ThreadExecutor()
        let archive = GeofenceArchive(besideStore: configuration.store.path)
        var catalog = GeofenceCatalog(address: configuration.address, groups: groups)
        var generations: [GeofenceArchive.Generation] = []
        do throws(FileFault) {
            generations = try archive.generations()
            if let newest = generations.first { try catalog.restore(newest, archive) }
        } catch {
            catalog = GeofenceCatalog(address: configuration.address, groups: groups)
            let sentence = "\(error); its geofences are in force again when the broker sends them"
            logger.error("\(sentence)")
            problems.raise(.geofencesDamaged, sentence)
        }
        return RemoteGeofences(
            catalog: catalog, groups: groups, generations: generations, archive: archive, executor: executor,
            address: configuration.address,
            clock: clock, problems: problems, logger: logger)
    }

    /// A function that returns the set of a saved tracker state: the newest set or the one before. nil if it is
    /// missing.
    var storedSetLookup: @Sendable (_ identity: UInt64) -> GeofenceSet? {
        let (current, generations, archive) = (catalog.activeSet, generations, archive)
        let groups = catalog.order.compactMap { if case .group(let name) = $0 { name } else { nil } }
        let empty = GeofenceCatalog(address: address, groups: groups)
        return { identity in
            if current.identity == identity { return current }
            guard let generation = generations.first(where: { $0.identity == identity }) else { return nil }
            var catalog = empty
            guard (try? catalog.restore(generation, archive)) != nil else { return nil }
            return catalog.activeSet
        }
    }

    /// Puts the geofences of the last run into force.
    func start(_ pipeline: InputPipeline) async {
        self.pipeline = pipeline
        await pipeline.apply(catalog.activeSet)
    }

    // MARK: In

    /// Sets the function that is called after each change.
    nonisolated func observe(_ observer: @escaping @Sendable () -> Void) {
        changeObserver.withLock { $0 = observer }
    }

    /// Replaces the groups of the device, before messages of a joined one arrive. The geofences of a left one are no
    /// longer in force.
    nonisolated func setGroups(_ new: [String]) {
        groups.withLock { $0 = new }
        Task { await followGroups() }
    }

    private func followGroups() async {
        guard changeGroups() else { return }
        await applyGeofences()
        changeObserver.withLock { $0 }?()
    }

    private func changeGroups() -> Bool { catalog.change(groups: groups.withLock { $0 }) }

    /// Queues a message. A newer message of its topic replaces it.
    /// - Parameter identifier: The identifier of a single fence. nil for a whole set.
    nonisolated func offer(_ payload: [UInt8], at level: DownlinkLevel, identifier: String?) {
        inbox.offer(.payload(payload), on: Origin(level: level, identifier: identifier))
    }

    /// Queues the size of a message that was too large for the link.
    nonisolated func offerOversized(_ count: Int, at level: DownlinkLevel, identifier: String?) {
        inbox.offer(.oversized(count), on: Origin(level: level, identifier: identifier))
    }

    /// Handles messages until the task is cancelled.
    func run() async {
        while let incoming = await inbox.next(clock) { await receive(incoming) }
    }

    private func receive(_ incoming: [Origin: IncomingDocument]) async {
        var news = changeGroups() ? 1 : 0
        for (origin, message) in incoming where receive(message, from: origin) { news += 1 }
        guard news > 0 else { return }
        inbox.consumeToken(clock)
        await applyGeofences()
        let report = catalog.report
        logger.notice(
            "geofences received", metadata: ["in force": "\(report.count)", "mistakes": "\(report.errors.count)"])
        for error in report.errors {
            logger.warning("\(error.topic): \(error.identifier ?? error.path): \(error.message)")
        }
        changeObserver.withLock { $0 }?()
    }

    /// - Returns: Whether the message changed anything.
    private func receive(_ incoming: IncomingDocument, from origin: Origin) -> Bool {
        let (level, topic) = (origin.level, address.topic(origin.level, .geofences))
        let payload: [UInt8]
        switch incoming {
        case .payload(let bytes): payload = bytes
        case .oversized(let count):
            let message = GeofenceMessage.unreadable(
                JSONError(reason: "\(count) bytes are more than the maximum; divide the set among levels"))
            guard let identifier = origin.identifier else {
                return catalog.apply(message, hash: "", toSetOf: level)
            }
            return catalog.apply(message, toFence: identifier, of: level)
        }
        if let identifier = origin.identifier {
            let message = GeofenceParser.parseFence(
                payload, identifier: identifier, topic: address.geofenceTopic(level, identifier))
            return catalog.apply(message, toFence: identifier, of: level)
        }
        let hash = SHA256.hexDigest(of: payload)
        // Brokers send retained messages again on each connection.
        guard !catalog.isKnown(hash, of: level) else { return false }
        return catalog.apply(GeofenceParser.parseSet(payload, topic: topic), hash: hash, toSetOf: level)
    }

    // MARK: The embedding program

    /// Puts geofences of the program into force and saves them. They replace those of the program with the same
    /// identifiers.
    /// - Throws: `ConfigurationError` if one is invalid, or if they are too many. Nothing is changed then.
    func add(_ fences: [Geofence]) async throws(ConfigurationError) {
        let known = catalog.levels.count(of: GeofenceLayer(level: .program, isSingle: true))
        let new = Set(fences.map(\.identifier)).count { !catalog.hasFence($0, of: .program) }
        guard known + new <= GeofenceCatalog.maximumSingleFences else {
            let problem = "\(known + new) geofences; a program has at most \(GeofenceCatalog.maximumSingleFences)"
            throw ConfigurationError(origin: "geofences", issues: [ConfigurationIssue(path: "", problem: problem)])
        }
        var messages: [(String, GeofenceMessage)] = []
        for fence in fences { messages.append((fence.identifier, .fence(try GeofenceParser.validated(fence)))) }
        await change(messages)
    }

    /// Removes geofences of the program. Those of other levels with the same identifiers are in force again.
    func remove(_ identifiers: [String]) async {
        await change(identifiers.map { ($0, .withdrawn) })
    }

    private func change(_ messages: [(identifier: String, message: GeofenceMessage)]) async {
        let changes = messages.count { catalog.apply($0.message, toFence: $0.identifier, of: .program) }
        guard changes > 0 else { return }
        await applyGeofences()
        changeObserver.withLock { $0 }?()
    }

    // MARK: Out

    var report: ReportedGeofences { catalog.report }

    /// The geofences in force, with their layers.
    var levels: GeofenceLevels { catalog.levels }

    /// Saves the new set and then puts it into force, so that the set of every saved tracker state is on the disk.
    private func applyGeofences() async {
        do throws(FileFault) {
            try save()
            isUnsaved.withLock { $0 = false }
            problems.clear(.geofencesNotSaved)
            problems.clear(.geofencesDamaged)
        } catch {
            isUnsaved.withLock { $0 = true }
            let sentence = "the geofences are in force but cannot be saved for the next start: \(error)"
            problems.raise(.geofencesNotSaved, sentence, at: .error, in: logger)
        }
        await pipeline?.apply(catalog.activeSet)
    }

    private func save() throws(FileFault) {
        var layers: [GeofenceArchive.Layer] = []
        for layer in catalog.levels.layers where catalog.levels.count(of: layer) > 0 {
            let old = generations.first?.layers.first {
                $0.level == layer.level.storageName && $0.isSingle == layer.isSingle
            }
            if let old, !catalog.unsavedLayers.contains(layer) {
                layers.append(old)
            } else {
                layers.append(try archive.write(catalog.levels.fences(of: layer), of: layer))
            }
        }
        let new = GeofenceArchive.Generation(
            identity: catalog.activeSet.identity, layers: layers,
            facts: catalog.order.compactMap { catalog.levelStatuses[$0] })
        try archive.commit(new, keeping: generations)
        generations = [new] + generations.filter { $0.identity != new.identity }.prefix(1)
        catalog.markSaved()
    }
}
