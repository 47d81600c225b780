import OdographJSON
import OdographLink
import OdographSettings
import OdographTracking
import OdographWire

/// The configuration of all levels: the local file, then the documents for all devices, for each group in the order in
/// which the device lists them, for the device itself, and the settings of the embedding program.
///
/// The configuration in force depends only on the newest valid document of each level, not on the order or the number
/// of documents. The document of the device itself also decides which groups there are.
package struct ConfigurationLevels: Sendable {
    /// The result of all levels.
    package struct Outcome: Sendable {
        /// The local file's tracking keys, merged with all valid documents.
        package var document: JSONValue
        /// The settings of ``document``.
        package var settings: TrackingSettings
        /// The brokers of ``document``; nil: those of the local file.
        package var brokers: [BrokerURL]?
        /// The reports of the levels, the weakest first.
        package var levels: [ReportedConfigurationLevel]
        /// All refused documents and keys.
        package var errors: [ReportedConfigurationError]
        /// The names of the levels whose document is lost. All time is private while there are any.
        package var lostLevels: [String] = []
        /// The groups in force, weakest first.
        package var groups: [String] = []
        /// The names of the levels that the device has joined and whose document has not arrived yet.
        package var awaitedLevels: [String] = []
    }

    /// The newest document of a level.
    enum Newest: Sendable {
        case document(ConfigurationDocument)
        case unusable(hash: String, ConfigurationError)

        var hash: String {
            switch self {
            case .document(let document): document.hash
            case .unusable(let hash, _): hash
            }
        }
    }

    private struct Slot: Sendable {
        var newest: Newest
        /// The newest document that could be put into force.
        var lastValid: ConfigurationDocument?
    }

    /// The levels that apply to the device, the weakest first.
    package private(set) var order: [DownlinkLevel]
    /// The groups in force, weakest first.
    package private(set) var groups: [String]
    private let localGroups: [String]
    /// The change of the levels since ``takeLevelChange()``; nil for none.
    private var levelChange: LevelChange?
    package let address: DeviceAddress
    private var local: JSONValue
    private var localSettings: TrackingSettings
    private var slots: [DownlinkLevel: Slot] = [:]
    /// The levels for which the broker retains no document.
    private var unretained: Set<DownlinkLevel> = []
    /// The levels whose saved document is lost. Their saved content must not be changed.
    package private(set) var lostDocuments = LostDocuments()
    /// Whether documents may not loosen the privacy of the local file.
    private var isLocked: Bool
    /// Whether the local file allows a connection that others can read.
    private let allowsInsecure: Bool
    /// The levels whose newest document loosens it.
    private var refusedByLock: Set<DownlinkLevel> = []
    /// The levels whose newest document is refused and whose last valid one is incompatible with the weaker levels.
    private var incompatible: Set<DownlinkLevel> = []
    private static let incompatibleReason = "this version of the agent does not accept it together with the local file"
    /// The configuration in force.
    package private(set) var outcome: Outcome

    /// - Parameters:
    ///   - address: The address of the device.
    ///   - groups: The local file's groups, the weaker ones first.
    ///   - groupsInForce: The groups in force at the end of the last run; nil: those of the local file.
    ///   - local: The local file's `tracking`.
    ///   - settings: The settings of `local`.
    ///   - isLocked: The local file's `privacy.locked`.
    ///   - allowsInsecure: The local file's `broker.allow_insecure`.
    package init(
        address: DeviceAddress, groups: [String], groupsInForce: [String]? = nil, local: JSONValue,
        settings: TrackingSettings, isLocked: Bool = false, allowsInsecure: Bool = false
    ) {
        self.address = address
        self.isLocked = isLocked
        self.allowsInsecure = allowsInsecure
        localGroups = groups
        self.groups = groupsInForce ?? groups
        order = DeviceAddress.allLevels(groups: self.groups)
        self.local = .object(["tracking": local])
        localSettings = settings
        outcome = Outcome(document: self.local, settings: settings, levels: [], errors: [], groups: self.groups)
    }

    /// Creates the levels of a local file, without documents.
    /// - Parameter groupsInForce: The groups in force at the end of the last run; nil: those of the file.
    init(_ configuration: AgentConfiguration, groupsInForce: [String]? = nil) {
        self.init(
            address: configuration.address, groups: configuration.groups, groupsInForce: groupsInForce,
            local: configuration.trackingDocument, settings: configuration.tracking,
            isLocked: configuration.isPrivacyLocked, allowsInsecure: configuration.broker.allowsInsecure)
    }

    /// Returns the document of a level to restore after a restart. nil if there is none.
    package func lastValidDocument(at level: DownlinkLevel) -> ConfigurationDocument? { slots[level]?.lastValid }

    /// Replaces the local file's settings. The published documents stay in force.
    package mutating func replaceLocal(_ local: JSONValue, settings: TrackingSettings, isLocked: Bool) {
        self.local = .object(["tracking": local])
        localSettings = settings
        self.isLocked = isLocked
        evaluate()
        guard !incompatible.isEmpty else { return }
        for level in incompatible { lostDocuments.insert(level, reason: Self.incompatibleReason) }
        evaluate()
    }

    /// Reads the zones of all documents again, because their files may have changed.
    /// - Returns: Whether this changed the configuration in force. An unreadable file changes nothing: it is being
    ///   replaced.
    package mutating func rereadZones() -> Bool {
        var reader = SettingsReader(local, path: "")
        var new = self
        new.localSettings = reader.object("tracking", TrackingSettings.init)
        guard reader.allIssues().isEmpty else { return false }
        new.evaluate()
        guard new.incompatible.isSubset(of: incompatible) else { return false }
        let isChange =
            new.outcome.settings != outcome.settings || new.outcome.errors != outcome.errors
            || new.outcome.levels != outcome.levels
        self = new
        return isChange
    }

    /// Sets the levels for which the broker retains no document. Their documents stay in force: a broker's memory is
    /// not durable, and its loss must not change the behaviour of a fleet.
    /// - Returns: Whether this changed anything.
    package mutating func updateUnretained(_ new: Set<DownlinkLevel>) -> Bool {
        let isFree = lostDocuments.removeMissing(new)
        let new = new.intersection(slots.keys)
        guard new != unretained || isFree else { return false }
        unretained = new
        evaluate()
        return true
    }

    // MARK: The last run

    /// Restores the saved document of a level. The weaker levels must be restored before.
    package mutating func restore(_ judgement: ConfigurationManifest.DocumentStatus, at level: DownlinkLevel) {
        switch judgement {
        case .absent: return
        // No broker could show that the program has no settings. Most agents run without a program.
        case .uncertain: if level != .program { lostDocuments.uncertain.insert(level) }
        case .unreadable(let reason): lostDocuments.insert(level, reason: reason)
        case .found(let bytes):
            _ = receive(bytes, at: level)
            // It was in force once. If it is refused now, another version wrote it, or the local file has changed.
            guard lastValidDocument(at: level) == nil else { break }
            if refusedByLock.contains(level), case .document(let document)? = slots[level]?.newest {
                // It is kept for the time after the private time that refuses it now.
                slots[level]?.lastValid = document
            } else {
                lostDocuments.insert(level, reason: Self.incompatibleReason)
            }
        }
        evaluate()
    }

    /// Handles a payload of a level.
    /// - Returns: Whether it changed anything.
    package mutating func receive(_ payload: [UInt8], at level: DownlinkLevel) -> Bool {
        guard !payload.isEmpty else {
            unretained.remove(level)
            let wasLost = lostDocuments.contains(level) || lostDocuments.awaited.contains(level)
            lostDocuments.remove(level)
            guard slots.removeValue(forKey: level) != nil || wasLost else { return false }
            if level == .device { change(to: localGroups) }
            evaluate()
            return true
        }
        let hash = SHA256.hexDigest(of: payload)
        guard slots[level]?.newest.hash != hash else { return false }
        do throws(ConfigurationError) {
            let document = try ConfigurationDocument(
                payload, hash: hash, level: level, origin: address.topic(level, .config))
            put(.document(document), at: level)
        } catch {
            put(.unusable(hash: hash, error), at: level)
        }
        return true
    }

    /// Handles a payload that is too large.
    package mutating func receiveOversized(_ count: Int, at level: DownlinkLevel) -> Bool {
        let error = ConfigurationDocument.tooLarge(count, origin: address.topic(level, .config))
        if case .unusable(_, error)? = slots[level]?.newest { return false }
        put(.unusable(hash: "", error), at: level)
        return true
    }

    private mutating func put(_ newest: Newest, at level: DownlinkLevel) {
        slots[level] = Slot(newest: newest, lastValid: slots[level]?.lastValid)
        lostDocuments.awaited.remove(level)
        evaluate()
    }

    // MARK: Groups

    /// Returns the levels that the device has joined and left since the last call; nil for none.
    package mutating func takeLevelChange() -> LevelChange? {
        defer { levelChange = nil }
        return levelChange
    }

    /// Puts the groups of the device's saved document into force, before the documents of the last run are restored
    /// late.
    package mutating func restoreGroups(of status: ConfigurationManifest.DocumentStatus) {
        if let saved = LevelChange.groups(in: status, address: address) { change(to: saved) }
    }

    /// The groups that the device's newest document sets; nil if there is none that can be read.
    private var wantedGroups: [String]? {
        guard case .document(let document)? = slots[.device]?.newest else { return nil }
        return document.groups ?? localGroups
    }

    private mutating func change(to new: [String]) {
        guard new != groups else { return }
        let former = order
        (groups, order) = (new, DeviceAddress.allLevels(groups: new))
        let left = Set(former).subtracting(order)
        for level in left {
            slots[level] = nil
            unretained.remove(level)
            lostDocuments.remove(level)
        }
        let joined = Set(order).subtracting(former)
        lostDocuments.awaited.formUnion(joined)
        // The document of a joined group may keep the time private that the left ones kept private.
        if outcome.settings.protectsTime { lostDocuments.uncertain.formUnion(joined) }
        levelChange = levelChange ?? LevelChange()
        levelChange?.add(joined: joined, left: left, groups: new)
    }

    // MARK: Evaluation

    /// Puts the groups of the device's newest document into force, if the document is valid with their levels, and
    /// merges all levels.
    private mutating func evaluate() {
        guard let wantedGroups, wantedGroups != groups else { return _ = mergeLevels() }
        var changed = self
        changed.change(to: wantedGroups)
        if let refusal = changed.mergeLevels() {
            _ = mergeLevels(refusingDevice: refusal)
        } else {
            self = changed
        }
    }

    /// The result of one document merged with the weaker levels.
    private struct Layer {
        var document: JSONValue
        var settings: TrackingSettings
        var brokers: [BrokerURL]?
    }

    /// Merges all levels, in their order.
    /// - Parameter refusal: Why the device's newest document cannot be put into force; nil if that is to be found out.
    /// - Returns: Why it cannot; nil if it is in force, or if there is none.
    private mutating func mergeLevels(refusingDevice refusal: ConfigurationError? = nil) -> ConfigurationError? {
        var deviceError: ConfigurationError?
        var layer = Layer(document: local, settings: localSettings)
        var levels: [ReportedConfigurationLevel] = []
        var errors: [ReportedConfigurationError] = []
        // The levels whose document is not in force, although it sets the schedule.
        var withoutSchedule: Set<DownlinkLevel> = []
        refusedByLock = []
        incompatible = []
        for level in order {
            let topic = address.topic(level, .config)
            guard let slot = slots[level] else {
                if let error = lostDocuments.report(of: level, topic: topic) { errors.append(error) }
                continue
            }
            var inForce: ConfigurationDocument?
            do throws(ConfigurationError) {
                if level == .device, let refusal { throw refusal }
                let newest = try Self.usable(slot.newest)
                let laid = try Self.merge(newest, over: layer, origin: topic, allowsInsecure: allowsInsecure)
                let loosenings = privacyViolations(in: laid, of: level, over: layer)
                if !loosenings.isEmpty {
                    refusedByLock.insert(level)
                    throw ConfigurationError(origin: topic, issues: loosenings)
                }
                layer = laid
                inForce = newest
                slots[level]?.lastValid = newest
                lostDocuments.remove(level)
            } catch {
                if level == .device { deviceError = error }
                errors += Self.reported(error, topic: topic)
                if let good = slot.lastValid {
                    if let fallback = try? Self.merge(good, over: layer, origin: topic, allowsInsecure: allowsInsecure)
                    {
                        if privacyViolations(in: fallback, of: level, over: layer).isEmpty {
                            layer = fallback
                            inForce = good
                        }
                    } else {
                        incompatible.insert(level)
                        if good.setsSchedule { withoutSchedule.insert(level) }
                    }
                }
                if let error = lostDocuments.report(of: level, topic: topic) { errors.append(error) }
            }
            var reported = Self.reported(slot.newest, name: address.topicComponent(for: level), inForce: inForce)
            reported.isRetained = unretained.contains(level) ? false : nil
            levels.append(reported)
        }
        let lost = order.filter { lostDocuments.contains($0) || withoutSchedule.contains($0) }
        // These documents may be stricter than all others.
        if !lost.isEmpty { layer.settings.schedule = .alwaysPrivate(zone: layer.settings.schedule.zone) }
        outcome = Outcome(
            document: layer.document, settings: layer.settings, brokers: layer.brokers, levels: levels, errors: errors,
            lostLevels: lost.map(address.topicComponent), groups: groups,
            awaitedLevels: order.filter(lostDocuments.awaited.contains).map(address.topicComponent))
        return deviceError
    }

    /// Returns the settings of a level that loosen the locked file, or, of the program, the private time below it.
    private func privacyViolations(
        in layer: Layer, of level: DownlinkLevel, over below: Layer
    ) -> [ConfigurationIssue] {
        let locked = isLocked ? PrivacyLock(local: localSettings).violations(in: layer.settings) : []
        guard locked.isEmpty, level == .program else { return locked }
        return PrivacyLock(keepingPrivateTimeOf: below.settings)?.violations(in: layer.settings) ?? []
    }

    private static func usable(_ newest: Newest) throws(ConfigurationError) -> ConfigurationDocument {
        switch newest {
        case .document(let document): return document
        case .unusable(_, let error): throw error
        }
    }

    private static func merge(
        _ document: ConfigurationDocument, over below: Layer, origin: String, allowsInsecure: Bool
    ) throws(ConfigurationError) -> Layer {
        let merged = below.document.applyingMergePatch(document.patch)
        var reader = SettingsReader(merged, path: "")
        let settings = reader.object("tracking", TrackingSettings.init)
        let brokers = reader.object("broker", mayQuote: false) { reader in
            let brokers = BrokerURL.list(&reader)
            if !allowsInsecure, brokers?.contains(where: \.isReadableByOthers) == true {
                reader.reject(
                    "url", "the connection would not be encrypted, and the local file does not allow it; use mqtts://")
            }
            return brokers
        }
        // They are those of the device's own document, which has checked them.
        _ = reader.value("groups")
        let issues = unknownNulls(in: document.patch) + reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: origin, issues: issues) }
        return Layer(document: merged, settings: settings, brokers: brokers)
    }

    /// Returns the unknown keys that a patch sets to null. The merge removes them, so only the patch shows them.
    private static func unknownNulls(in patch: JSONValue) -> [ConfigurationIssue] {
        var reader = SettingsReader(patch, path: "")
        _ = reader.object("tracking", TrackingSettings.init)
        _ = (reader.value("broker"), reader.value("groups"))
        return reader.allIssues().filter { $0.value == "null" }
    }

    /// Checks a document for a vehicle whose file sets nothing.
    package static func validate(_ document: ConfigurationDocument, origin: String) throws(ConfigurationError) {
        let nothing = Layer(document: .object(["tracking": .object([:])]), settings: TrackingSettings())
        _ = try merge(document, over: nothing, origin: origin, allowsInsecure: true)
    }
}
