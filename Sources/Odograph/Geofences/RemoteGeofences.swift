import CivilTime
import GeoJSON
import Logging
import OdographJSON
import Positioning
import Threads
import Tracking
import Wire

/// Takes geofences in, has ``GeofenceCatalog`` decide, and puts the outcome on the disk, into force and into the report.
///
/// It runs on a thread of its own: a large document takes a second of work, for which nothing else has to wait.
actor RemoteGeofences {
    /// Which topic it came on.
    private struct Origin: Hashable, Sendable {
        var level: DownlinkLevel
        /// Of a single fence.
        var identifier: String?
    }

    /// More messages than this wait for nothing: their topics are made up.
    private static let maximumWaiting = 20_000

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let archive: GeofenceArchive
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let logger: Logger
    private var catalog: GeofenceCatalog
    private var generations: [GeofenceArchive.Generation] { didSet { updateNewestGeneration(generations.first) } }
    /// What is to be on the disk, for whoever looks whether it is. Nil for nothing.
    private let newestGeneration = Lock<GeofenceArchive.Generation?>(nil)
    private var recorder: Recorder?

    private let inbox = DocumentInbox<Origin>(capacity: maximumWaiting)
    private let changeObserver = Lock<(@Sendable () -> Void)?>(nil)

    private init(
        catalog: GeofenceCatalog, generations: [GeofenceArchive.Generation], archive: GeofenceArchive,
        executor: ThreadExecutor, address: DeviceAddress, clock: any AgentClock, problems: ProblemRegistry,
        logger: Logger
    ) {
        self.catalog = catalog
        self.generations = generations
        self.archive = archive
        self.executor = executor
        self.address = address
        self.clock = clock
        self.problems = problems
        self.logger = logger
        newestGeneration.withLock { $0 = generations.first }
    }

    private nonisolated func updateNewestGeneration(_ generation: GeofenceArchive.Generation?) {
        newestGeneration.withLock { $0 = generation }
    }

    /// Looks whether the geofences are on the disk still, and writes them anew where somebody has deleted them. Costs a call of
    /// the system a file.
    nonisolated func verifyFiles() {
        guard let generation = newestGeneration.withLock({ $0 }), !archive.containsFiles(of: generation) else { return }
        Task { await self.rewriteFiles() }
    }

    private func rewriteFiles() async {
        guard let generation = generations.first, !archive.containsFiles(of: generation) else { return }
        logger.warning(
            "\(archive.folder): files of the geofences were deleted while the agent ran; they are written anew")
        generations = []
        await applyGeofences()
    }

    // MARK: The last run

    /// Goes on with the geofences that the last run left. What cannot be read is told of, and waits for the broker.
    /// - Throws: ``ExitError`` where the system has no thread left.
    static func load(
        _ configuration: AgentConfiguration, clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) async throws -> RemoteGeofences {
        guard let executor = ThreadExecutor() else {
            throw ExitError(.unavailable, "the system starts no further thread; raise the limit (ulimit -u)")
        }
        let archive = GeofenceArchive(besideStore: configuration.store.path)
        var catalog = GeofenceCatalog(address: configuration.address, groups: configuration.groups)
        var generations: [GeofenceArchive.Generation] = []
        do throws(GeofenceArchive.Fault) {
            generations = try archive.generations()
            if let newest = generations.first { try catalog.restore(newest, archive) }
        } catch {
            catalog = GeofenceCatalog(address: configuration.address, groups: configuration.groups)
            let sentence = "\(error); its geofences are in force again once the broker has sent them"
            logger.error("\(sentence)")
            problems.raise(.geofencesDamaged, sentence)
        }
        return RemoteGeofences(
            catalog: catalog, generations: generations, archive: archive, executor: executor,
            address: configuration.address,
            clock: clock, problems: problems, logger: logger)
    }

    /// The set that a saved state of the tracker is of, which is the newest one or the one before; nil where it is not there.
    var storedSetLookup: @Sendable (_ identity: UInt64) -> GeofenceSet? {
        let (current, generations, archive) = (catalog.activeSet, generations, archive)
        let empty = GeofenceCatalog(address: address, groups: catalog.order.compactMap(\.groupName))
        return { identity in
            if current.identity == identity { return current }
            guard let generation = generations.first(where: { $0.identity == identity }) else { return nil }
            var catalog = empty
            guard (try? catalog.restore(generation, archive)) != nil else { return nil }
            return catalog.activeSet
        }
    }

    /// Puts what the last run left into force.
    func start(_ recorder: Recorder) async {
        self.recorder = recorder
        await recorder.apply(catalog.activeSet)
    }

    // MARK: In

    /// Has somebody told of every change.
    nonisolated func observe(_ observer: @escaping @Sendable () -> Void) {
        changeObserver.withLock { $0 = observer }
    }

    /// A message has come; only the newest of a topic is looked at.
    /// - Parameter identifier: of a single fence; nil: it is a whole set.
    nonisolated func offer(_ payload: [UInt8], at level: DownlinkLevel, identifier: String?) {
        inbox.offer(.payload(payload), on: Origin(level: level, identifier: identifier))
    }

    /// A message has come that was too large for the link.
    nonisolated func offerOversized(_ count: Int, at level: DownlinkLevel, identifier: String?) {
        inbox.offer(.oversized(count), on: Origin(level: level, identifier: identifier))
    }

    /// Until the task is cancelled.
    func run() async {
        while let incoming = await inbox.next(clock) { await receive(incoming) }
    }

    private func receive(_ incoming: [Origin: IncomingDocument]) async {
        var news = 0
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

    /// - Returns: whether it says anything new.
    private func receive(_ incoming: IncomingDocument, from origin: Origin) -> Bool {
        let (level, topic) = (origin.level, address.topic(origin.level, .geofences))
        let payload: [UInt8]
        switch incoming {
        case .payload(let bytes): payload = bytes
        case .oversized(let count):
            let message = GeofenceMessage.unreadable(
                GeoJSONError(reason: "\(count) bytes are more than the link takes: divide the set among levels"))
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
        // Brokers send what they retain anew with every connection.
        guard catalog.hash(of: level) != hash else { return false }
        return catalog.apply(GeofenceParser.parseSet(payload, topic: topic), hash: hash, toSetOf: level)
    }

    // MARK: Out

    /// What is to be reported.
    var report: ReportedGeofences { catalog.report }

    /// What is in force, and of which layer each fence is.
    var levels: GeofenceLevels { catalog.levels }

    /// The new set is on the disk before it is in force, so that whatever state the tracker saves finds its set again.
    private func applyGeofences() async {
        do throws(GeofenceArchive.Fault) {
            try save()
            problems.clear(.geofencesNotSaved)
            problems.clear(.geofencesDamaged)
        } catch {
            let sentence = "the geofences are in force but cannot be kept for the next start: \(error)"
            problems.raise(.geofencesNotSaved, sentence, at: .error, in: logger)
        }
        await recorder?.apply(catalog.activeSet)
    }

    private func save() throws(GeofenceArchive.Fault) {
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

extension DownlinkLevel {
    /// The group's name; nil for another level.
    fileprivate var groupName: String? { if case .group(let name) = self { name } else { nil } }
}
