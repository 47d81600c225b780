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
    /// What `set_extras` laid over the configuration's extras; nil where that cannot be read any more.
    private var extras: JSONValue?
    /// The list of the documents that the database must have.
    private let index: ConfigurationIndex
    private var listed: ConfigurationIndex.Levels
    /// Whether `set_extras` has come in this run.
    private var areExtrasNew = false
    /// The levels of which a document has come in this run.
    private var heard: Set<DownlinkLevel> = []
    /// What whoever embeds the agent says, over the configuration.
    private var isTrackingOverride: Bool?

    private let inbox = DocumentInbox<DownlinkLevel>()
    private let changed = Lock<(@Sendable () -> Void)?>(nil)

    private init(
        levels: ConfigurationLevels, extras: JSONValue?, index: ConfigurationIndex, listed: ConfigurationIndex.Levels,
        store: AgentStore, recorder: Recorder, clock: any AgentClock, problems: ProblemBoard, logger: Logger
    ) {
        self.levels = levels
        self.extras = extras
        self.index = index
        self.listed = listed
        self.store = store
        self.recorder = recorder
        self.clock = clock
        self.problems = problems
        self.logger = logger
    }

    /// Goes on with the documents that the last run left.
    /// - Parameter hadDatabase: whether there was, or may have been, a database before the store was opened.
    static func load(
        _ configuration: AgentConfiguration, store: AgentStore, hadDatabase: Bool, clock: any AgentClock,
        problems: ProblemBoard, logger: Logger, recorder: (TrackingSettings) -> Recorder
    ) async -> (RemoteConfiguration, Recorder) {
        var levels = ConfigurationLevels(
            address: configuration.address, groups: configuration.groups, local: configuration.trackingDocument,
            settings: configuration.tracking, isLocked: configuration.isPrivacyLocked)
        let index = ConfigurationIndex(besideStore: configuration.store.path)
        let reading = index.read()
        let isDatabaseNew = hadDatabase && store.report.isNew
        for level in levels.order {
            let saved = await SavedDocument.read(DocumentName.configuration(of: level), from: store)
            levels.restore(
                ConfigurationIndex.judge(
                    saved, ofLevel: level.savedName, by: reading, isDatabaseNew: isDatabaseNew), at: level)
        }
        var isExtrasLost = false
        let saved = await SavedDocument.read(DocumentName.commandExtras, from: store).value {
            try? JSON5Parser.value(of: $0)
        } isUnreadable: { reason in
            isExtrasLost = true
            problems.raiseUnreadable(
                "what set_extras has hung on the records", reason,
                effect: "they carry no extras until set_extras comes again", in: logger)
        }
        let extras = isExtrasLost ? nil : saved ?? .object([:])
        let recorder = recorder(settings(of: levels, extras: extras, isTracking: nil))
        let remote = RemoteConfiguration(
            levels: levels, extras: extras, index: index, listed: levels.listed(after: reading), store: store,
            recorder: recorder, clock: clock, problems: problems, logger: logger)
        await remote.begin(reading)
        return (remote, recorder)
    }

    /// Brings the list of documents up to what was found, and says what cannot be read.
    private func begin(_ reading: ConfigurationIndex.Reading) {
        if case .unreadable(let reason) = reading {
            problems.raiseUnreadable(
                "the list of saved configuration documents", reason, effect: "it is written anew", in: logger)
        }
        if reading != .levels(listed) { list(listed) }
        tellOfLost()
    }

    /// While it is not known what a level says, that is a problem.
    private func tellOfLost() {
        let lost = levels.outcome.lost
        guard !lost.isEmpty else {
            if problems.settle(.configurationUnreadable) { logger.notice("the configuration is known again") }
            return
        }
        let sentence =
            "the saved configuration of \(lost.joined(separator: ", ")) cannot be read: until the broker sends it, all of the "
            + "time is private (distances and times, no positions). Where there should be none, publish {} there"
        problems.raise(.configurationUnreadable, sentence, at: .error, in: logger)
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
            if incoming[level] != nil { heard.insert(level) }
            if incoming[level] != nil { watch.heard(level, atUptimeMilliseconds: now) }
            switch incoming[level] {
            case nil: continue
            case .payload(let bytes)?: if levels.take(bytes, at: level) { news.append(level) }
            case .oversized(let count)?: if levels.takeOversized(count, at: level) { news.append(level) }
            }
        }
        await lookForSilence()
        guard !news.isEmpty else { return }
        inbox.spend(clock)
        log(news)
        await apply(saving: levels.order)
    }

    /// The database of earlier runs can be used now: its documents are in force for every level of which none has come since.
    func adopt(_ documents: [String: [UInt8]]) async {
        var isNew = false
        let reading = index.read()
        for level in levels.order where !heard.contains(level) {
            guard let bytes = documents[DocumentName.configuration(of: level)], !bytes.isEmpty else { continue }
            levels.restore(
                ConfigurationIndex.judge(
                    .found(bytes), ofLevel: level.savedName, by: reading, isDatabaseNew: false), at: level)
            isNew = true
        }
        if !areExtrasNew, let saved = documents[DocumentName.commandExtras],
            let value = try? JSON5Parser.value(of: saved)
        {
            extras = value
            isNew = true
        }
        // A document that has ended since is not to come back at the next start.
        for level in heard { await save(level) }
        if isNew { await apply(saving: []) }
    }

    /// Puts what the levels come to into force, saves documents of levels, and tells whom it concerns.
    private func apply(saving saved: [DownlinkLevel]) async {
        await putIntoForce()
        for level in saved { await save(level) }
        tellOfLost()
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

    private func lookForSilence() async {
        guard let silent = watch.silent(atUptimeMilliseconds: clock.now().uptimeMilliseconds),
            levels.note(unretained: silent)
        else { return }
        for level in levels.outcome.levels where level.isRetained == false {
            logger.notice("the broker holds no configuration of \(level.level); what was in force stays so")
        }
        // Levels that may have had a document can turn out to have none.
        await apply(saving: levels.order)
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
    func replaceLocal(_ local: JSONValue, settings: TrackingSettings, isLocked: Bool) async {
        levels.replaceLocal(local, settings: settings, isLocked: isLocked)
        await apply(saving: levels.order)
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
        areExtrasNew = true
        await putIntoForce()
        return Self.settings(of: levels, extras: extras, isTracking: isTrackingOverride).extras
    }

    private func putIntoForce() async {
        await recorder.apply(Self.settings(of: levels, extras: extras, isTracking: isTrackingOverride))
    }

    private static func settings(
        of levels: ConfigurationLevels, extras: JSONValue?, isTracking: Bool?
    ) -> TrackingSettings {
        var settings = levels.outcome.settings
        if let isTracking { settings.core.isEnabled = isTracking }
        guard let extras else {
            // They may have taken some of the configuration's back.
            settings.extras = [:]
            return settings
        }
        if case .object(let members) = JSONValue.object(settings.extras).merged(with: extras) {
            settings.extras = members
        }
        return settings
    }

    /// Keeps what is good of a level for the next start.
    private func save(_ level: DownlinkLevel) async {
        guard !levels.lostDocuments.contains(level) else { return }
        let name = DocumentName.configuration(of: level)
        let good = levels.good(at: level)
        let hash = good?.hash ?? ConfigurationIndex.none
        do {
            let saved = try await store.document(name)
            let known = listed[level.savedName] ?? [ConfigurationIndex.none]
            guard saved != good?.bytes || known != [hash] else { return }
            // Killed in between, the next start accepts either.
            if !known.contains(hash) { list(known + [hash], of: level) }
            if let good {
                try await store.saveDocument(name, good.bytes)
            } else {
                try await store.removeDocument(name)
            }
            list([hash], of: level)
            problems.settle(.configurationNotSaved)
        } catch {
            let sentence = "the configuration is in force but cannot be kept for the next start: \(error)"
            problems.raise(.configurationNotSaved, sentence, at: .error, in: logger)
        }
    }

    private func list(_ hashes: [String], of level: DownlinkLevel) {
        listed[level.savedName] = hashes == [ConfigurationIndex.none] ? nil : hashes
        list(listed)
    }

    /// Without the list the documents are kept all the same: only the loss of the database would go unnoticed.
    private func list(_ levels: ConfigurationIndex.Levels) {
        do { try index.write(levels) } catch { logger.warning("\(error)") }
    }
}

extension ConfigurationLevels {
    /// The list of the documents that the database must have, as it is to be after a start.
    fileprivate func listed(after reading: ConfigurationIndex.Reading) -> ConfigurationIndex.Levels {
        var listed: ConfigurationIndex.Levels = [:]
        if case .levels(let levels) = reading { listed = levels }
        for level in order {
            if lostDocuments.isUncertain(level) {
                listed[level.savedName] = [ConfigurationIndex.unknown]
            } else if !lostDocuments.contains(level) {
                listed[level.savedName] = good(at: level).map { [$0.hash] }
            } else if listed[level.savedName] == nil {
                listed[level.savedName] = [ConfigurationIndex.unknown]
            }
        }
        return listed
    }
}
