import CivilTime
import GeoJSON
import Logging
import Positioning
import Threads
import Tracking
import Wire

/// Takes geofences in, has ``GeofenceDesk`` decide, and puts the outcome on the disk, into force and into the report.
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
    private static let mostWaiting = 20_000

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let archive: GeofenceArchive
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let problems: ProblemBoard
    private let logger: Logger
    private var desk: GeofenceDesk
    private var generations: [GeofenceArchive.Generation] { didSet { kept(generations.first) } }
    /// What is to be on the disk, for whoever looks whether it is. Nil for nothing.
    private let newest = Lock<GeofenceArchive.Generation?>(nil)
    private var recorder: Recorder?

    private let inbox = DocumentInbox<Origin>(most: mostWaiting)
    private let changed = Lock<(@Sendable () -> Void)?>(nil)

    private init(
        desk: GeofenceDesk, generations: [GeofenceArchive.Generation], archive: GeofenceArchive,
        executor: ThreadExecutor, address: DeviceAddress, clock: any AgentClock, problems: ProblemBoard, logger: Logger
    ) {
        self.desk = desk
        self.generations = generations
        self.archive = archive
        self.executor = executor
        self.address = address
        self.clock = clock
        self.problems = problems
        self.logger = logger
        newest.withLock { $0 = generations.first }
    }

    private nonisolated func kept(_ generation: GeofenceArchive.Generation?) {
        newest.withLock { $0 = generation }
    }

    /// Looks whether the geofences are on the disk still, and writes them anew where somebody has deleted them. Costs a call of
    /// the system a file.
    nonisolated func lookAfterFiles() {
        guard let generation = newest.withLock({ $0 }), !archive.has(generation) else { return }
        Task { await self.writeAnew() }
    }

    private func writeAnew() async {
        guard let generation = generations.first, !archive.has(generation) else { return }
        logger.warning(
            "\(archive.folder): files of the geofences were deleted while the agent ran; they are written anew")
        generations = []
        await putIntoForce()
    }

    // MARK: The last run

    /// Goes on with the geofences that the last run left. What cannot be read is told of, and waits for the broker.
    /// - Throws: ``Failure`` where the system has no thread left.
    static func load(
        _ configuration: AgentConfiguration, clock: any AgentClock, problems: ProblemBoard, logger: Logger
    ) async throws -> RemoteGeofences {
        guard let executor = ThreadExecutor() else {
            throw Failure(.unavailable, "the system starts no further thread; raise the limit (ulimit -u)")
        }
        let archive = GeofenceArchive(besideStore: configuration.store.path)
        var desk = GeofenceDesk(address: configuration.address, groups: configuration.groups)
        var generations: [GeofenceArchive.Generation] = []
        do throws(GeofenceArchive.Fault) {
            generations = try archive.generations()
            if let newest = generations.first { try desk.restore(newest, archive) }
        } catch {
            desk = GeofenceDesk(address: configuration.address, groups: configuration.groups)
            let sentence = "\(error); its geofences are in force again once the broker has sent them"
            logger.error("\(sentence)")
            problems.raise(.geofencesDamaged, sentence)
        }
        return RemoteGeofences(
            desk: desk, generations: generations, archive: archive, executor: executor, address: configuration.address,
            clock: clock, problems: problems, logger: logger)
    }

    /// The set that a saved state of the tracker is of, which is the newest one or the one before; nil where it is not there.
    var kept: @Sendable (_ identity: UInt64) -> GeofenceSet? {
        let (current, generations, archive) = (desk.inForce, generations, archive)
        let empty = GeofenceDesk(address: address, groups: desk.order.compactMap(\.groupName))
        return { identity in
            if current.identity == identity { return current }
            guard let generation = generations.first(where: { $0.identity == identity }) else { return nil }
            var desk = empty
            guard (try? desk.restore(generation, archive)) != nil else { return nil }
            return desk.inForce
        }
    }

    /// Puts what the last run left into force.
    func begin(_ recorder: Recorder) async {
        self.recorder = recorder
        await recorder.apply(desk.inForce)
    }

    // MARK: In

    /// Has somebody told of every change.
    nonisolated func observe(_ observer: @escaping @Sendable () -> Void) {
        changed.withLock { $0 = observer }
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
        while let incoming = await inbox.next(clock) { await take(incoming) }
    }

    private func take(_ incoming: [Origin: IncomingDocument]) async {
        var news = 0
        for (origin, message) in incoming where take(message, from: origin) { news += 1 }
        guard news > 0 else { return }
        inbox.spend(clock)
        await putIntoForce()
        let report = desk.report
        logger.notice(
            "geofences received", metadata: ["in force": "\(report.count)", "mistakes": "\(report.errors.count)"])
        for error in report.errors {
            logger.warning("\(error.topic): \(error.identifier ?? error.path): \(error.message)")
        }
        changed.withLock { $0 }?()
    }

    /// - Returns: whether it says anything new.
    private func take(_ incoming: IncomingDocument, from origin: Origin) -> Bool {
        let (level, topic) = (origin.level, address.topic(origin.level, .geofences))
        let payload: [UInt8]
        switch incoming {
        case .payload(let bytes): payload = bytes
        case .oversized(let count):
            let message = GeofenceMessage.unreadable(
                GeoJSONError(reason: "\(count) bytes are more than the link takes: divide the set among levels"))
            guard let identifier = origin.identifier else {
                return desk.take(message, hash: "", ofAll: level)
            }
            return desk.take(message, single: identifier, of: level)
        }
        if let identifier = origin.identifier {
            let message = GeofenceParser.fence(
                payload, identifier: identifier, topic: address.geofenceTopic(level, identifier))
            return desk.take(message, single: identifier, of: level)
        }
        let hash = SHA256.hexadecimal(of: payload)
        // Brokers send what they retain anew with every connection.
        guard desk.hash(of: level) != hash else { return false }
        return desk.take(GeofenceParser.set(payload, topic: topic), hash: hash, ofAll: level)
    }

    // MARK: Out

    /// What is to be reported.
    var report: ReportedGeofences { desk.report }

    /// What is in force, and of which layer each fence is.
    var levels: GeofenceLevels { desk.levels }

    /// The new set is on the disk before it is in force, so that whatever state the tracker saves finds its set again.
    private func putIntoForce() async {
        do throws(GeofenceArchive.Fault) {
            try save()
            problems.settle(.geofencesNotSaved)
            problems.settle(.geofencesDamaged)
        } catch {
            let sentence = "the geofences are in force but cannot be kept for the next start: \(error)"
            problems.raise(.geofencesNotSaved, sentence, at: .error, in: logger)
        }
        await recorder?.apply(desk.inForce)
    }

    private func save() throws(GeofenceArchive.Fault) {
        var layers: [GeofenceArchive.Layer] = []
        for layer in desk.levels.layers where desk.levels.count(of: layer) > 0 {
            let old = generations.first?.layers.first {
                $0.level == layer.level.savedName && $0.isSingle == layer.isSingle
            }
            if let old, !desk.changed.contains(layer) {
                layers.append(old)
            } else {
                layers.append(try archive.write(desk.levels.fences(of: layer), of: layer))
            }
        }
        let new = GeofenceArchive.Generation(
            identity: desk.inForce.identity, layers: layers, facts: desk.order.compactMap { desk.facts[$0] })
        try archive.commit(new, keeping: generations)
        generations = [new] + generations.filter { $0.identity != new.identity }.prefix(1)
        desk.saved()
    }
}

extension DownlinkLevel {
    /// The group's name; nil for another level.
    fileprivate var groupName: String? { if case .group(let name) = self { name } else { nil } }
}
