import CivilTime
import Logging
import OdographJSON
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
    private let problems: ProblemRegistry
    private let logger: Logger
    private var levels: ConfigurationLevels
    private var retainedCheck = RetainedCheck()
    private var retainedCheckTask: Task<Void, Never>?
    /// What `set_extras` laid over the configuration's extras; nil where that cannot be read any more.
    private var extras: JSONValue?
    /// The list of the documents that the database must have.
    private let manifest: ConfigurationManifest
    private var manifestHashes: ConfigurationManifest.LevelHashes
    /// Whether `set_extras` has come in this run.
    private var hasSetExtras = false
    /// The levels of which a document has come in this run.
    private var receivedLevels: Set<DownlinkLevel> = []
    /// What whoever embeds the agent says, over the configuration.
    private var trackingOverride: Bool?

    private let inbox = DocumentInbox<DownlinkLevel>()
    private let changeObserver = Lock<(@Sendable () -> Void)?>(nil)

    private init(
        levels: ConfigurationLevels, extras: JSONValue?, index: ConfigurationManifest,
        listed: ConfigurationManifest.LevelHashes,
        store: AgentStore, recorder: Recorder, clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) {
        self.levels = levels
        self.extras = extras
        self.manifest = index
        self.manifestHashes = listed
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
        problems: ProblemRegistry, logger: Logger, recorder: (TrackingSettings) -> Recorder
    ) async -> (RemoteConfiguration, Recorder) {
        var levels = ConfigurationLevels(
            address: configuration.address, groups: configuration.groups, local: configuration.trackingDocument,
            settings: configuration.tracking, isLocked: configuration.isPrivacyLocked)
        let index = ConfigurationManifest(besideStore: configuration.store.path)
        let reading = index.read()
        let isDatabaseNew = hadDatabase && store.report.isNew
        for level in levels.order {
            let saved = await SavedDocument.read(DocumentName.configuration(of: level), from: store)
            levels.restore(
                ConfigurationManifest.classify(
                    saved, ofLevel: level.storageName, by: reading, isDatabaseNew: isDatabaseNew), at: level)
        }
        var isExtrasLost = false
        let saved = await SavedDocument.read(DocumentName.commandExtras, from: store).parsed {
            try? JSON5Parser.value(of: $0)
        } onUnreadable: { reason in
            isExtrasLost = true
            problems.raiseUnreadable(
                "what set_extras has hung on the records", reason,
                effect: "they carry no extras until set_extras comes again", in: logger)
        }
        let extras = isExtrasLost ? nil : saved ?? .object([:])
        let recorder = recorder(settings(of: levels, extras: extras, isTracking: nil))
        let remote = RemoteConfiguration(
            levels: levels, extras: extras, index: index, listed: levels.manifestHashes(after: reading), store: store,
            recorder: recorder, clock: clock, problems: problems, logger: logger)
        await remote.reconcileManifest(reading)
        return (remote, recorder)
    }

    /// Brings the list of documents up to what was found, and says what cannot be read.
    private func reconcileManifest(_ reading: ConfigurationManifest.ReadResult) {
        if case .unreadable(let reason) = reading {
            problems.raiseUnreadable(
                "the list of saved configuration documents", reason, effect: "it is written anew", in: logger)
        }
        if reading != .levels(manifestHashes) { writeManifest(manifestHashes) }
        updateLostProblem()
    }

    /// While it is not known what a level says, that is a problem.
    private func updateLostProblem() {
        let lost = levels.outcome.lostLevels
        guard !lost.isEmpty else {
            if problems.clear(.configurationUnreadable) { logger.notice("the configuration is known again") }
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
        changeObserver.withLock { $0 = observer }
    }

    /// A document has come; only the newest of a topic is looked at.
    nonisolated func offer(_ payload: [UInt8], at level: DownlinkLevel) {
        let isTooLarge = payload.count > ConfigurationDocument.maximumBytes
        inbox.offer(isTooLarge ? .oversized(payload.count) : .payload(payload), on: level)
    }

    /// A document has come that was too large for the link.
    nonisolated func offerOversized(_ count: Int, at level: DownlinkLevel) {
        inbox.offer(.oversized(count), on: level)
    }

    /// Until the task is cancelled.
    func run() async {
        while let incoming = await inbox.next(clock) { await receive(incoming) }
    }

    private func receive(_ incoming: [DownlinkLevel: IncomingDocument]) async {
        let now = clock.now().uptimeMilliseconds
        var news: [DownlinkLevel] = []
        for level in levels.order {
            if incoming[level] != nil { receivedLevels.insert(level) }
            if incoming[level] != nil { retainedCheck.handleReceived(level, atUptimeMilliseconds: now) }
            switch incoming[level] {
            case nil: continue
            case .payload(let bytes)?: if levels.receive(bytes, at: level) { news.append(level) }
            case .oversized(let count)?: if levels.receiveOversized(count, at: level) { news.append(level) }
            }
        }
        await checkRetained()
        guard !news.isEmpty else { return }
        inbox.consumeToken(clock)
        log(news)
        await apply(saving: levels.order)
    }

    /// The database of earlier runs can be used now: its documents are in force for every level of which none has come since.
    func mergeRecoveredDocuments(_ documents: [String: [UInt8]]) async {
        var isNew = false
        let reading = manifest.read()
        for level in levels.order where !receivedLevels.contains(level) {
            guard let bytes = documents[DocumentName.configuration(of: level)], !bytes.isEmpty else { continue }
            levels.restore(
                ConfigurationManifest.classify(
                    .found(bytes), ofLevel: level.storageName, by: reading, isDatabaseNew: false), at: level)
            isNew = true
        }
        if !hasSetExtras, let saved = documents[DocumentName.commandExtras],
            let value = try? JSON5Parser.value(of: saved)
        {
            extras = value
            isNew = true
        }
        // A document that has ended since is not to come back at the next start.
        for level in receivedLevels { await save(level) }
        if isNew { await apply(saving: []) }
    }

    /// Puts what the levels come to into force, saves documents of levels, and tells whom it concerns.
    private func apply(saving saved: [DownlinkLevel]) async {
        await applySettings()
        for level in saved { await save(level) }
        updateLostProblem()
        changeObserver.withLock { $0 }?()
    }

    // MARK: What the broker holds

    /// A connection begins or has ended.
    func resetRetainedCheck() {
        retainedCheck.reset()
        retainedCheckTask?.cancel()
        retainedCheckTask = nil
    }

    /// The broker lets the device listen to a level: what it holds of it comes now.
    func handleSubscribed(_ level: DownlinkLevel) {
        retainedCheck.handleSubscribed(level, atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        guard retainedCheckTask == nil else { return }
        retainedCheckTask = Task { [weak self, clock] in
            while let due = await self?.retainedCheck.dueUptimeMilliseconds {
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
                await self?.checkRetained()
            }
        }
    }

    private func checkRetained() async {
        guard let silent = retainedCheck.findMissing(atUptimeMilliseconds: clock.now().uptimeMilliseconds),
            levels.updateUnretained(silent)
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
            "levels": try JSONCoder.value(of: outcome.levels), "errors": try JSONCoder.value(of: outcome.errors),
            "configuration": outcome.document,
            "configuration_hash": .string(SHA256.hexDigest(of: try JSONCoder.bytes(of: outcome.document))),
        ]
    }

    /// Tracking is turned on or off, over what the configuration says, until the agent is started anew.
    func overrideTracking(_ isOn: Bool) async {
        trackingOverride = isOn
        await applySettings()
        changeObserver.withLock { $0 }?()
    }

    /// Lays extras over the configuration's, in place of those that were laid before.
    /// - Returns: what is hung on every record from now on.
    func setExtras(_ members: [String: JSONValue]) async throws -> [String: JSONValue] {
        let new = JSONValue.object(members)
        try await store.saveDocument(DocumentName.commandExtras, try JSONCoder.bytes(of: new))
        extras = new
        hasSetExtras = true
        await applySettings()
        return Self.settings(of: levels, extras: extras, isTracking: trackingOverride).extras
    }

    private func applySettings() async {
        await recorder.apply(Self.settings(of: levels, extras: extras, isTracking: trackingOverride))
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
        if case .object(let members) = JSONValue.object(settings.extras).applyingMergePatch(extras) {
            settings.extras = members
        }
        return settings
    }

    /// Keeps what is good of a level for the next start.
    private func save(_ level: DownlinkLevel) async {
        guard !levels.lostDocuments.contains(level) else { return }
        let name = DocumentName.configuration(of: level)
        let good = levels.lastValidDocument(at: level)
        let hash = good?.hash ?? ConfigurationManifest.absentHash
        do {
            let saved = try await store.document(name)
            let known = manifestHashes[level.storageName] ?? [ConfigurationManifest.absentHash]
            guard saved != good?.bytes || known != [hash] else { return }
            // Killed in between, the next start accepts either.
            if !known.contains(hash) { updateManifest(known + [hash], of: level) }
            if let good {
                try await store.saveDocument(name, good.bytes)
            } else {
                try await store.removeDocument(name)
            }
            updateManifest([hash], of: level)
            problems.clear(.configurationNotSaved)
        } catch {
            let sentence = "the configuration is in force but cannot be kept for the next start: \(error)"
            problems.raise(.configurationNotSaved, sentence, at: .error, in: logger)
        }
    }

    private func updateManifest(_ hashes: [String], of level: DownlinkLevel) {
        manifestHashes[level.storageName] = hashes == [ConfigurationManifest.absentHash] ? nil : hashes
        writeManifest(manifestHashes)
    }

    /// Without the list the documents are kept all the same: only the loss of the database would go unnoticed.
    private func writeManifest(_ levels: ConfigurationManifest.LevelHashes) {
        do { try manifest.write(levels) } catch { logger.warning("\(error)") }
    }
}

extension ConfigurationLevels {
    /// The list of the documents that the database must have, as it is to be after a start.
    fileprivate func manifestHashes(after reading: ConfigurationManifest.ReadResult)
        -> ConfigurationManifest.LevelHashes
    {
        var listed: ConfigurationManifest.LevelHashes = [:]
        if case .levels(let levels) = reading { listed = levels }
        for level in order {
            if lostDocuments.isUncertain(level) {
                listed[level.storageName] = [ConfigurationManifest.unknownHash]
            } else if !lostDocuments.contains(level) {
                listed[level.storageName] = lastValidDocument(at: level).map { [$0.hash] }
            } else if listed[level.storageName] == nil {
                listed[level.storageName] = [ConfigurationManifest.unknownHash]
            }
        }
        return listed
    }
}
