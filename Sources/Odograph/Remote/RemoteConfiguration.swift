import CivilTime
import Logging
import Positioning
import Store
import Threads
import Tracking
import Wire

/// Takes configuration documents in, has ``ConfigurationLevels`` decide, and puts the outcome into force, on the disk
/// and into the report.
actor RemoteConfiguration {
    private let store: AgentStore
    private let recorder: Recorder
    private let clock: any AgentClock
    private let problems: ProblemBoard
    private let logger: Logger
    private var levels: ConfigurationLevels
    private var watch = RetainedWatch()
    private var silence: Task<Void, Never>?
    /// What `set_extras` laid over the configuration's extras.
    private var extras: JSONValue
    /// What whoever embeds the agent says, over the configuration.
    private var isTrackingOverride: Bool?

    private let inbox = DocumentInbox<DownlinkLevel>()
    private let changed = Lock<(@Sendable () -> Void)?>(nil)

    private init(
        levels: ConfigurationLevels, extras: JSONValue, store: AgentStore, recorder: Recorder, clock: any AgentClock,
        problems: ProblemBoard, logger: Logger
    ) {
        self.levels = levels
        self.extras = extras
        self.store = store
        self.recorder = recorder
        self.clock = clock
        self.problems = problems
        self.logger = logger
    }

    /// Goes on with the documents that the last run left.
    static func load(
        _ configuration: AgentConfiguration, store: AgentStore, clock: any AgentClock, problems: ProblemBoard,
        logger: Logger, recorder: (TrackingSettings) -> Recorder
    ) async -> (RemoteConfiguration, Recorder) {
        var levels = ConfigurationLevels(
            address: configuration.address, groups: configuration.groups, local: configuration.trackingDocument,
            settings: configuration.tracking)
        for level in levels.order {
            guard let bytes = try? await store.document(DocumentName.configuration(of: level)), !bytes.isEmpty else {
                continue
            }
            _ = levels.take(bytes, at: level)
        }
        let saved = try? await store.document(DocumentName.commandExtras)
        let extras = saved.flatMap { try? JSON5Parser.value(of: $0) } ?? .object([:])
        let recorder = recorder(settings(of: levels, extras: extras, isTracking: nil))
        let remote = RemoteConfiguration(
            levels: levels, extras: extras, store: store, recorder: recorder, clock: clock, problems: problems,
            logger: logger)
        return (remote, recorder)
    }

    // MARK: In

    /// Has somebody told of every change.
    nonisolated func observe(_ observer: @escaping @Sendable () -> Void) {
        changed.withLock { $0 = observer }
    }

    /// A document has come; only the newest of a topic is looked at.
    nonisolated func offer(_ payload: [UInt8], at level: DownlinkLevel) {
        let isTooLarge = payload.count > RemoteDocument.maximumBytes
        inbox.offer(isTooLarge ? .oversized(payload.count) : .payload(payload), on: level)
    }

    /// A document has come that was too large for the link.
    nonisolated func offerOversized(_ count: Int, at level: DownlinkLevel) {
        inbox.offer(.oversized(count), on: level)
    }

    /// Until the task is cancelled.
    func run() async {
        while let incoming = await inbox.next(clock) { await take(incoming) }
    }

    private func take(_ incoming: [DownlinkLevel: IncomingDocument]) async {
        let now = clock.now().uptimeMilliseconds
        var news: [DownlinkLevel] = []
        for level in levels.order {
            if incoming[level] != nil { watch.heard(level, atUptimeMilliseconds: now) }
            switch incoming[level] {
            case nil: continue
            case .payload(let bytes)?: if levels.take(bytes, at: level) { news.append(level) }
            case .oversized(let count)?: if levels.takeOversized(count, at: level) { news.append(level) }
            }
        }
        lookForSilence()
        guard !news.isEmpty else { return }
        inbox.spend(clock)
        await putIntoForce()
        for level in levels.order { await save(level) }
        log(news)
        changed.withLock { $0 }?()
    }

    // MARK: What the broker holds

    /// A connection begins or has ended.
    func connectionChanged() {
        watch.reset()
        silence?.cancel()
        silence = nil
    }

    /// The broker lets the device listen to a level: what it holds of it comes now.
    func granted(_ level: DownlinkLevel) {
        watch.granted(level, atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        guard silence == nil else { return }
        silence = Task { [weak self, clock] in
            while let due = await self?.watch.dueUptimeMilliseconds {
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
                await self?.lookForSilence()
            }
        }
    }

    private func lookForSilence() {
        guard let silent = watch.silent(atUptimeMilliseconds: clock.now().uptimeMilliseconds),
            levels.note(unretained: silent)
        else { return }
        for level in levels.outcome.levels where level.isRetained == false {
            logger.notice("the broker holds no configuration of \(level.level); what was in force stays so")
        }
        changed.withLock { $0 }?()
    }

    private func log(_ news: [DownlinkLevel]) {
        let outcome = levels.outcome
        logger.notice(
            "configuration received",
            metadata: [
                "levels": "\(outcome.levels.map { "\($0.level) \($0.isApplied ? "applied" : "refused")" })"
            ])
        for error in outcome.errors {
            logger.warning("\(error.topic): \(error.path.isEmpty ? "" : error.path + ": ")\(error.message)")
        }
    }

    // MARK: Out

    /// What the levels come to.
    var outcome: ConfigurationLevels.Outcome { levels.outcome }

    /// The local file was read again.
    func replaceLocal(_ local: JSONValue, settings: TrackingSettings) async {
        levels.replaceLocal(local, settings: settings)
        await putIntoForce()
        for level in levels.order { await save(level) }
        changed.withLock { $0 }?()
    }

    /// What the levels come to, as `get_configuration` tells it.
    func members() throws -> [String: JSONValue] {
        let outcome = levels.outcome
        return [
            "levels": try JSONText.value(of: outcome.levels), "errors": try JSONText.value(of: outcome.errors),
            "configuration": outcome.document,
            "configuration_hash": .string(SHA256.hexadecimal(of: try JSONText.bytes(of: outcome.document))),
        ]
    }

    /// Tracking is turned on or off, over what the configuration says, until the agent is started anew.
    func overrideTracking(_ isOn: Bool) async {
        isTrackingOverride = isOn
        await putIntoForce()
        changed.withLock { $0 }?()
    }

    /// Lays extras over the configuration's, in place of those that were laid before.
    /// - Returns: what is hung on every record from now on.
    func setExtras(_ members: [String: JSONValue]) async throws -> [String: JSONValue] {
        let new = JSONValue.object(members)
        try await store.saveDocument(DocumentName.commandExtras, try JSONText.bytes(of: new))
        extras = new
        await putIntoForce()
        return Self.settings(of: levels, extras: extras, isTracking: isTrackingOverride).extras
    }

    private func putIntoForce() async {
        await recorder.apply(Self.settings(of: levels, extras: extras, isTracking: isTrackingOverride))
    }

    private static func settings(
        of levels: ConfigurationLevels, extras: JSONValue, isTracking: Bool?
    ) -> TrackingSettings {
        var settings = levels.outcome.settings
        if let isTracking { settings.core.isEnabled = isTracking }
        if case .object(let members) = JSONValue.object(settings.extras).merged(with: extras) {
            settings.extras = members
        }
        return settings
    }

    /// Keeps what is good of a level for the next start.
    private func save(_ level: DownlinkLevel) async {
        let name = DocumentName.configuration(of: level)
        do {
            let saved = try await store.document(name)
            let good = levels.good(at: level)?.bytes
            guard saved != good else { return }
            if let good { try await store.saveDocument(name, good) } else { try await store.removeDocument(name) }
            problems.settle(.configurationNotSaved)
        } catch {
            let sentence = "the configuration is in force but cannot be kept for the next start: \(error)"
            problems.raise(.configurationNotSaved, sentence, at: .error, in: logger)
        }
    }
}
