import OdographCivilTime
import Logging
import OdographJSON
import OdographModel
import OdographPositioning
import OdographStore
import OdographThreads
import OdographTracking
import OdographWire

/// Receives configuration documents, lets ``ConfigurationLevels`` decide, and puts the result into force, on the disk
/// and into the report.
actor RemoteConfiguration {
    let store: AgentStore
    private let pipeline: InputPipeline
    private let clock: any AgentClock
    let problems: ProblemRegistry
    let logger: Logger
    private(set) var levels: ConfigurationLevels
    private var retainedCheck = RetainedCheck()
    private var retainedTimer = DueTimer()
    /// The extras of `set_extras`, merged into the configured ones. nil if the saved ones are unreadable.
    private var extras: JSONValue?
    /// The tag of `set_tag`. nil for none.
    private(set) var tag: ProgramTag?
    /// The durable mark of private time that a program began.
    let privateTimeMark: PrivateTimeMark
    /// The list of the documents that the database must have.
    let manifest: ConfigurationManifest
    var manifestHashes: ConfigurationManifest.LevelHashes
    /// Whether `set_extras` was called in this run.
    private var hasSetExtras = false
    /// Whether `set_tag` was called in this run.
    private var hasSetTag = false
    /// The levels that received a document in this run.
    private var receivedLevels: Set<DownlinkLevel> = []

    /// The levels whose document could not be saved.
    let unsavedLevels = Lock<Set<DownlinkLevel>>([])
    /// Whether the mark of private time could not be saved.
    let isPrivateTimeUnsaved = Lock(false)
    private let inbox = DocumentInbox<DownlinkLevel>()
    private let changeObserver = Lock<(@Sendable () -> Void)?>(nil)
    private let levelObserver = Lock<(@Sendable (LevelChange) -> Void)?>(nil)
    private let trafficSource = Lock<(@Sendable () -> Int64)?>(nil)

    private init(
        levels: ConfigurationLevels, extras: JSONValue?, tag: ProgramTag?, privateTimeMark: PrivateTimeMark,
        index: ConfigurationManifest,
        listed: ConfigurationManifest.LevelHashes,
        store: AgentStore, pipeline: InputPipeline, clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) {
        self.levels = levels
        self.extras = extras
        self.tag = tag
        self.privateTimeMark = privateTimeMark
        self.manifest = index
        self.manifestHashes = listed
        self.store = store
        self.pipeline = pipeline
        self.clock = clock
        self.problems = problems
        self.logger = logger
    }

    /// Loads the documents of the last run.
    /// - Parameter hadDatabase: Whether there was, or may have been, a database before the store was opened.
    static func load(
        _ configuration: AgentConfiguration, store: AgentStore, hadDatabase: Bool, clock: any AgentClock,
        problems: ProblemRegistry, logger: Logger, pipeline: (TrackingSettings) -> InputPipeline
    ) async -> (RemoteConfiguration, InputPipeline) {
        let index = ConfigurationManifest(besideStore: configuration.store.path)
        let reading = index.read()
        let isDatabaseNew = hadDatabase && store.report.isNew
        func status(of level: DownlinkLevel) async -> ConfigurationManifest.DocumentStatus {
            let saved = await SavedDocument.read(DocumentName.configuration(of: level), from: store)
            return ConfigurationManifest.classify(
                saved, ofLevel: level.storageName, by: reading, isDatabaseNew: isDatabaseNew)
        }
        // The device's own document says which groups there are.
        let groups = LevelChange.groups(in: await status(of: .device), address: configuration.address)
        var levels = ConfigurationLevels(configuration, groupsInForce: groups)
        // The configuration may be older than the files of its zones.
        _ = levels.rereadZones()
        for level in levels.order { levels.restore(await status(of: level), at: level) }
        var isExtrasLost = false
        let saved = await SavedDocument.read(DocumentName.commandExtras, from: store).parsed {
            try? JSON5Parser.value(of: $0)
        } onUnreadable: { reason in
            isExtrasLost = true
            problems.raiseUnreadable(
                "the extras of set_extras", reason,
                effect: "records have no extras until the next set_extras", in: logger)
        }
        let extras = isExtrasLost ? nil : saved ?? .object([:])
        let mark = PrivateTimeMark(besideStore: configuration.store.path)
        // The mark of private time does not depend on the database.
        let tag: ProgramTag?
        if let marked = mark.read() {
            tag = marked
        } else {
            tag = await SavedDocument.read(DocumentName.programTag, from: store).parsed {
                try? JSONCoder.decode(ProgramTag.self, from: $0)
            } onUnreadable: { reason in
                problems.raiseUnreadable(
                    "the tag of set_tag", reason, effect: "records have no such tag until the next set_tag", in: logger)
            }
        }
        let pipeline = pipeline(settings(of: levels, extras: extras, tag: tag))
        let remote = RemoteConfiguration(
            levels: levels, extras: extras, tag: tag, privateTimeMark: mark, index: index,
            listed: levels.manifestHashes(after: reading), store: store,
            pipeline: pipeline, clock: clock, problems: problems, logger: logger)
        await remote.reconcileManifest(reading)
        return (remote, pipeline)
    }

    /// Updates the manifest after the start, and reports unreadable documents.
    private func reconcileManifest(_ reading: ConfigurationManifest.ReadResult) {
        if case .unreadable(let reason) = reading {
            problems.raiseUnreadable(
                "the list of saved configuration documents", reason, effect: "the agent writes it again", in: logger)
        }
        if reading != .levels(manifestHashes) {
            do { try manifest.write(manifestHashes) } catch { logger.warning("\(error)") }
        }
        updateLostProblem()
    }

    /// Raises a problem while the document of a level is lost.
    private func updateLostProblem() {
        // A level that the device has joined a moment ago is no problem. If the broker refuses it, that is one.
        let lost = levels.outcome.lostLevels.filter { !levels.outcome.awaitedLevels.contains($0) }
        guard !lost.isEmpty else {
            if problems.clear(.configurationUnreadable) { logger.notice("the configuration is complete again") }
            return
        }
        problems.raise(
            .configurationUnreadable, levels.lostDocuments.sentence(of: lost), at: .error, in: logger)
    }

    // MARK: In

    /// Sets the function that is called after each change.
    nonisolated func observe(_ observer: @escaping @Sendable () -> Void) {
        changeObserver.withLock { $0 = observer }
    }

    /// Sets the function that is called when the device has joined or left groups. The calls are in the order of the
    /// changes.
    nonisolated func observeLevels(_ observer: @escaping @Sendable (LevelChange) -> Void) {
        levelObserver.withLock { $0 = observer }
    }

    /// Sets the function that returns the bytes that the connection to the broker has received.
    nonisolated func readTraffic(_ source: @escaping @Sendable () -> Int64) { trafficSource.withLock { $0 = source } }

    private var receivedBytes: Int64 { trafficSource.withLock { $0 }?() ?? 0 }

    /// Queues a document. A newer document of its level replaces it.
    nonisolated func offer(_ payload: [UInt8], at level: DownlinkLevel) {
        let isTooLarge = payload.count > ConfigurationDocument.maximumBytes
        inbox.offer(isTooLarge ? .oversized(payload.count) : .payload(payload), on: level)
    }

    /// Queues the size of a document that was too large for the link.
    nonisolated func offerOversized(_ count: Int, at level: DownlinkLevel) {
        inbox.offer(.oversized(count), on: level)
    }

    /// Handles documents until the task is cancelled.
    func run() async {
        while let incoming = await inbox.next(clock) { await receive(incoming) }
    }

    private func receive(_ incoming: [DownlinkLevel: IncomingDocument]) async {
        let now = clock.now().uptimeMilliseconds
        var news: [DownlinkLevel] = []
        for level in levels.order {
            if incoming[level] != nil {
                receivedLevels.insert(level)
                retainedCheck.handleReceived(level, bytes: receivedBytes, atUptimeMilliseconds: now)
            }
            switch incoming[level] {
            case nil: continue
            case .payload(let bytes)?: if levels.receive(bytes, at: level) { news.append(level) }
            case .oversized(let count)?: if levels.receiveOversized(count, at: level) { news.append(level) }
            }
        }
        await checkRetained()
        setRetainedTimer()
        guard !news.isEmpty else { return }
        inbox.consumeToken(clock)
        log(news)
        await apply(saving: levels.order)
    }

    /// Restores the documents of earlier runs, when their database becomes readable, for the levels that received none
    /// since.
    func mergeRecoveredDocuments(_ documents: [String: [UInt8]]) async {
        var isNew = false
        let reading = manifest.read()
        if !receivedLevels.contains(.device), let bytes = documents[DocumentName.configuration(of: .device)] {
            levels.restoreGroups(
                of: ConfigurationManifest.classify(
                    .found(bytes), ofLevel: DownlinkLevel.device.storageName, by: reading, isDatabaseNew: false))
        }
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
        if !hasSetTag, tag == nil, let saved = documents[DocumentName.programTag],
            let value = try? JSONCoder.decode(ProgramTag.self, from: saved)
        {
            tag = value
            isNew = true
        }
        // A document that was withdrawn since must not return at the next start.
        await save(Array(receivedLevels))
        if isNew { await apply(saving: []) }
    }

    /// Puts the configuration into force, saves the documents of some levels, and notifies the observer.
    private func apply(saving saved: [DownlinkLevel]) async {
        let change = levels.takeLevelChange()
        if let change {
            let names = change.groups.isEmpty ? "none" : change.groups.joined(separator: ", ")
            logger.notice("the groups are now: \(names)")
            retainedCheck.forget(change.left.union(change.joined))
            // A saved document of an earlier membership is not used.
            receivedLevels = receivedLevels.subtracting(change.left).union(change.joined)
        }
        await applySettings()
        if let change { levelObserver.withLock { $0 }?(change) }
        await save(saved + (change.map { Array($0.left) } ?? []))
        updateLostProblem()
        changeObserver.withLock { $0 }?()
    }

    // MARK: What the broker holds

    /// Handles the beginning or the end of a connection.
    func resetRetainedCheck() {
        retainedCheck.reset()
        setRetainedTimer()
    }

    /// Handles the broker's consent to the subscription of a level. The broker now sends the retained document.
    func handleSubscribed(_ level: DownlinkLevel) {
        guard levels.order.contains(level) else { return }
        retainedCheck.handleSubscribed(
            level, bytes: receivedBytes, atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        setRetainedTimer()
    }

    private func setRetainedTimer() {
        retainedTimer.set(retainedCheck.dueUptimeMilliseconds, clock: clock) { [weak self] in
            await self?.handleRetainedTimer()
        }
    }

    private func handleRetainedTimer() async {
        guard retainedTimer.takeExpired() else { return }
        await checkRetained()
        setRetainedTimer()
    }

    private func checkRetained() async {
        let silent = retainedCheck.findMissing(
            bytes: receivedBytes, atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        guard let silent, levels.updateUnretained(silent) else { return }
        for level in levels.outcome.levels where level.isRetained == false {
            logger.notice("the broker retains no configuration of \(level.level); the last one stays in force")
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

    var outcome: ConfigurationLevels.Outcome { levels.outcome }

    /// Applies the local file after it was read again.
    func replaceLocal(_ local: JSONValue, settings: TrackingSettings, isLocked: Bool) async {
        levels.replaceLocal(local, settings: settings, isLocked: isLocked)
        await apply(saving: levels.order)
    }

    /// Applies new rules of time zones.
    /// - Returns: Whether there are any.
    func refreshZones() async -> Bool {
        guard levels.rereadZones() else { return false }
        await apply(saving: levels.order)
        return true
    }

    // MARK: The embedding program

    /// Changes the settings of the program, see ``ConfigurationLevels/changeProgramSettings(_:)``.
    func changeProgramSettings(_ change: @Sendable (inout TrackingSettings) throws -> Void) async throws {
        try levels.changeProgramSettings(change)
        receivedLevels.insert(.program)
        await apply(saving: [.program])
    }

    /// Removes all settings of the program.
    func resetProgramSettings() async {
        guard levels.receive([], at: .program) else { return }
        receivedLevels.insert(.program)
        await apply(saving: [.program])
    }

    /// Replaces the extras that are merged into the configured ones.
    /// - Returns: The extras of every record from now on.
    func setExtras(_ members: [String: JSONValue], isPersistent: Bool = true) async throws -> [String: JSONValue] {
        let new = JSONValue.object(members)
        if isPersistent {
            try await store.saveDocument(DocumentName.commandExtras, try JSONCoder.bytes(of: new))
        } else {
            try await store.removeDocument(DocumentName.commandExtras)
        }
        extras = new
        hasSetExtras = true
        await applySettings()
        return Self.settings(of: levels, extras: extras, tag: tag).extras
    }

    /// Sets the tag of every record, or begins private time, or ends both.
    /// - Parameters:
    ///   - new: The tag; nil for none.
    ///   - isPersistent: Whether the tag stays after a restart. Private time always does.
    /// - Throws: An error if the change cannot be saved. Private time then begins all the same, and does not end.
    func setTag(_ new: ProgramTag?, isPersistent: Bool) async throws {
        hasSetTag = true
        if let new, new.isPrivate {
            let failure = saveMark(new)
            tag = new
            await applySettings()
            guard let failure else {
                try? await store.removeDocument(DocumentName.programTag)
                return
            }
            // The database then says so at the next start.
            if tag == new, let bytes = try? JSONCoder.bytes(of: new) {
                try? await store.saveDocument(DocumentName.programTag, bytes)
            }
            throw failure
        }
        if let new, isPersistent {
            try await store.saveDocument(DocumentName.programTag, try JSONCoder.bytes(of: new))
        } else {
            try await store.removeDocument(DocumentName.programTag)
        }
        try privateTimeMark.remove()
        forgetUnsavedMark()
        tag = new
        await applySettings()
    }

    private func applySettings() async {
        await pipeline.apply(Self.settings(of: levels, extras: extras, tag: tag))
    }

    private static func settings(
        of levels: ConfigurationLevels, extras: JSONValue?, tag: ProgramTag?
    ) -> TrackingSettings {
        var settings = levels.outcome.settings
        settings.schedule.programRule = tag?.rule
        guard let extras else {
            // The lost extras may have removed some of the configured ones.
            settings.extras = [:]
            return settings
        }
        if case .object(let members) = JSONValue.object(settings.extras).applyingMergePatch(extras) {
            settings.extras = members
        }
        return settings
    }
}
