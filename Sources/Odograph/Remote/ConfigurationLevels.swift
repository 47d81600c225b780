import OdographJSON
import Tracking
import Wire

/// The configuration out of all its levels: the local file, then what is published to all devices, to each group in the
/// order in which the device lists them, and to the device itself.
///
/// What is in force is a function of the newest good document of each level, so that it makes no difference in which
/// order, or how often, they come.
struct ConfigurationLevels: Sendable {
    /// What the levels come to.
    struct Outcome: Sendable {
        /// The local file's tracking keys with all good documents over them.
        var document: JSONValue
        /// The same, understood.
        var settings: TrackingSettings
        /// What is known of each level, the weakest first.
        var levels: [ReportedConfigurationLevel]
        /// Everything that was refused.
        var errors: [ReportedConfigurationError]
        /// The levels of which it is not known what they say, each by its name, so that all of the time is private.
        var lostLevels: [String] = []
    }

    private enum Newest: Sendable {
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
        /// The newest that was fit to be in force.
        var lastValid: ConfigurationDocument?
    }

    /// As many mistakes of a document are reported; whoever mends these will hear of the others.
    private static let maximumErrors = 20

    /// The levels that the device listens to, the weakest first.
    let order: [DownlinkLevel]
    private let address: DeviceAddress
    private var local: JSONValue
    private var localSettings: TrackingSettings
    private var slots: [DownlinkLevel: Slot] = [:]
    /// The levels that the broker holds no document of.
    private var unretained: Set<DownlinkLevel> = []
    /// The levels whose saved document is lost. What is on the disk of them must stay as it is.
    private(set) var lostDocuments = LostDocuments()
    /// Whether the local file keeps documents from loosening what it keeps private.
    private var isLocked: Bool
    /// The levels whose newest document loosens it.
    private var refusedByLock: Set<DownlinkLevel> = []
    /// The levels of which no document, not even the last good one, goes with what is below.
    private var incompatible: Set<DownlinkLevel> = []
    private static let incompatibleReason = "this version of the agent does not accept it under its local file"
    /// What holds now.
    private(set) var outcome: Outcome

    /// - Parameters:
    ///   - address: whose levels they are.
    ///   - groups: the groups that the device belongs to, the weaker one first.
    ///   - local: the local file's `tracking`.
    ///   - settings: the same, understood.
    ///   - isLocked: the local file's `privacy.locked`.
    init(
        address: DeviceAddress, groups: [String], local: JSONValue, settings: TrackingSettings, isLocked: Bool = false
    ) {
        self.address = address
        self.isLocked = isLocked
        order = DeviceAddress.levels(groups: groups)
        self.local = .object(["tracking": local])
        localSettings = settings
        outcome = Outcome(document: self.local, settings: settings, levels: [], errors: [])
    }

    /// The document of a level that is to be in force after a restart; nil for none.
    func lastValidDocument(at level: DownlinkLevel) -> ConfigurationDocument? { slots[level]?.lastValid }

    /// The local file says something else from now on; what was published stays over it.
    mutating func replaceLocal(_ local: JSONValue, settings: TrackingSettings, isLocked: Bool) {
        self.local = .object(["tracking": local])
        localSettings = settings
        self.isLocked = isLocked
        evaluate()
        guard !incompatible.isEmpty else { return }
        for level in incompatible { lostDocuments.insert(level, reason: Self.incompatibleReason) }
        evaluate()
    }

    /// The levels that a document is known of.
    var knownLevels: Set<DownlinkLevel> { Set(slots.keys) }

    /// The broker holds a document of all levels but these. What they say stays in force: a broker's memory is not
    /// durable, and one that has lost it must not change what a fleet does.
    /// - Returns: whether that is news.
    mutating func updateUnretained(_ new: Set<DownlinkLevel>) -> Bool {
        let isFree = lostDocuments.removeUncertain(new)
        let new = new.intersection(knownLevels)
        guard new != unretained || isFree else { return false }
        unretained = new
        evaluate()
        return true
    }

    // MARK: The last run

    /// Goes on with what the last run saved of a level. The weaker levels must have been given before.
    mutating func restore(_ judgement: ConfigurationManifest.DocumentStatus, at level: DownlinkLevel) {
        switch judgement {
        case .absent: return
        case .uncertain: lostDocuments.insertUncertain(level)
        case .unreadable(let reason): lostDocuments.insert(level, reason: reason)
        case .found(let bytes):
            _ = receive(bytes, at: level)
            // It was in force once. Here it is refused: a newer version wrote it, or the local file has changed.
            if lastValidDocument(at: level) == nil, !refusedByLock.contains(level) {
                lostDocuments.insert(level, reason: Self.incompatibleReason)
            }
        }
        evaluate()
    }

    /// A payload has come.
    /// - Returns: whether it says anything new.
    mutating func receive(_ payload: [UInt8], at level: DownlinkLevel) -> Bool {
        guard !payload.isEmpty else {
            unretained.remove(level)
            let wasLost = lostDocuments.contains(level)
            lostDocuments.remove(level)
            guard slots.removeValue(forKey: level) != nil || wasLost else { return false }
            evaluate()
            return true
        }
        let hash = SHA256.hexDigest(of: payload)
        guard slots[level]?.newest.hash != hash else { return false }
        do throws(ConfigurationError) {
            let document = try ConfigurationDocument(payload, hash: hash, origin: address.topic(level, .config))
            put(.document(document), at: level)
        } catch {
            put(.unusable(hash: hash, error), at: level)
        }
        return true
    }

    /// A payload has come that is too large to be looked at.
    mutating func receiveOversized(_ count: Int, at level: DownlinkLevel) -> Bool {
        let error = ConfigurationDocument.tooLarge(count, origin: address.topic(level, .config))
        if case .unusable(_, error)? = slots[level]?.newest { return false }
        put(.unusable(hash: "", error), at: level)
        return true
    }

    private mutating func put(_ newest: Newest, at level: DownlinkLevel) {
        slots[level] = Slot(newest: newest, lastValid: slots[level]?.lastValid)
        evaluate()
    }

    // MARK: Evaluation

    /// What one document comes to over those below.
    private struct Layer {
        var document: JSONValue
        var settings: TrackingSettings
    }

    private mutating func evaluate() {
        var layer = Layer(document: local, settings: localSettings)
        var levels: [ReportedConfigurationLevel] = []
        var errors: [ReportedConfigurationError] = []
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
                let newest = try Self.usable(slot.newest)
                let laid = try Self.merge(newest, over: layer, origin: topic)
                let loosenings = privacyViolations(in: laid)
                if !loosenings.isEmpty {
                    refusedByLock.insert(level)
                    throw ConfigurationError(origin: topic, issues: loosenings)
                }
                layer = laid
                inForce = newest
                slots[level]?.lastValid = newest
                lostDocuments.remove(level)
            } catch {
                errors += Self.reported(error, topic: topic)
                if let good = slot.lastValid {
                    if let fallback = try? Self.merge(good, over: layer, origin: topic) {
                        if privacyViolations(in: fallback).isEmpty {
                            layer = fallback
                            inForce = good
                        }
                    } else {
                        incompatible.insert(level)
                    }
                }
                if let error = lostDocuments.report(of: level, topic: topic) { errors.append(error) }
            }
            var reported = Self.reported(slot.newest, name: address.topicComponent(for: level), inForce: inForce)
            reported.isRetained = unretained.contains(level) ? false : nil
            levels.append(reported)
        }
        let lost = order.filter(lostDocuments.contains)
        // What they said may have been stricter than anything that is known.
        if !lost.isEmpty { layer.settings.schedule = .alwaysPrivate(zone: layer.settings.schedule.zone) }
        outcome = Outcome(
            document: layer.document, settings: layer.settings, levels: levels, errors: errors,
            lostLevels: lost.map(address.topicComponent))
    }

    private func privacyViolations(in layer: Layer) -> [ConfigurationIssue] {
        isLocked ? PrivacyLock(local: localSettings).violations(in: layer.settings) : []
    }

    private static func usable(_ newest: Newest) throws(ConfigurationError) -> ConfigurationDocument {
        switch newest {
        case .document(let document): return document
        case .unusable(_, let error): throw error
        }
    }

    private static func merge(
        _ document: ConfigurationDocument, over below: Layer, origin: String
    ) throws(ConfigurationError) -> Layer {
        let merged = below.document.applyingMergePatch(document.patch)
        var reader = SettingsReader(merged, path: "")
        let settings = reader.object("tracking", TrackingSettings.init)
        let issues = unknownNulls(in: document.patch) + reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: origin, issues: issues) }
        return Layer(document: merged, settings: settings)
    }

    /// Keys that a document takes back and that nobody knows: they are gone once it is merged. Nothing else is wrong
    /// with a null.
    private static func unknownNulls(in patch: JSONValue) -> [ConfigurationIssue] {
        var reader = SettingsReader(patch, path: "")
        _ = reader.object("tracking", TrackingSettings.init)
        return reader.allIssues().filter { $0.value == "null" }
    }

    /// Whether a document would be fit for a vehicle whose file says nothing else.
    static func validate(_ document: ConfigurationDocument, origin: String) throws(ConfigurationError) {
        let nothing = Layer(document: .object(["tracking": .object([:])]), settings: TrackingSettings())
        _ = try merge(document, over: nothing, origin: origin)
    }

    // MARK: Report

    private static func reported(_ newest: Newest, name: String, inForce: ConfigurationDocument?)
        -> ReportedConfigurationLevel
    {
        var version: String?
        if case .document(let document) = newest { version = document.version }
        let isApplied = inForce?.hash == newest.hash
        return ReportedConfigurationLevel(
            level: name, version: version, hash: newest.hash, isApplied: isApplied,
            hashInForce: isApplied ? nil : inForce?.hash, versionInForce: isApplied ? nil : inForce?.version)
    }

    private static func reported(_ error: ConfigurationError, topic: String) -> [ReportedConfigurationError] {
        var errors = error.issues.prefix(maximumErrors).map {
            ReportedConfigurationError(
                topic: topic, path: $0.path.truncated(to: 240), value: $0.value, message: $0.problem.truncated(to: 500))
        }
        let more = error.issues.count - errors.count
        if more > 0 {
            errors.append(
                ReportedConfigurationError(topic: topic, path: "", value: nil, message: "and \(more) mistakes more"))
        }
        return errors
    }
}

extension String {
    /// The text, cut to so many characters.
    fileprivate func truncated(to count: Int) -> String {
        utf8.count <= count ? self : prefix(count - 1) + "…"
    }
}
