import OdographCivilTime
import OdographJSON
import OdographSettings
import OdographTracking
import OdographWire

/// The settings of the program that embeds the agent: the strongest level, a document like the remote ones.
extension ConfigurationLevels {
    /// Changes the settings of the program.
    /// - Parameter change: Changes the settings of all levels. What it changes becomes part of the program's document,
    ///   and is from then on independent of the weaker levels.
    /// - Throws: `ConfigurationError` if a value is invalid or loosens private time, or if the saved document of the
    ///   program is lost; `EncodingError` if a number is not finite; the errors of `change`. Nothing is changed then.
    package mutating func changeProgramSettings(_ change: (inout TrackingSettings) throws -> Void) throws {
        let origin = address.topicComponent(for: .program)
        guard !lostDocuments.contains(.program) else {
            let problem = "the saved settings of the program are lost; reset them, and make all changes again"
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(path: "", problem: problem)])
        }
        var reader = SettingsReader(outcome.document, path: "")
        var old = reader.object("tracking", TrackingSettings.init)
        // A schedule without a zone has the machine's zone, so this is what the program sees and may change.
        let isZoneKnown = old.schedule.resolveZone()
        var new = old
        try change(&new)
        guard new != old else { return }
        let patch = old.document(includingZone: isZoneKnown).mergePatch(to: new.document(includingZone: true))
        let earlier = isProgramInForce ? lastValidDocument(at: .program)?.patch : nil
        let document = (earlier ?? .object([:])).composed(with: .object(["tracking": patch]))
        var levels = self
        _ = levels.receive(try JSONCoder.bytes(of: document), at: .program)
        let topic = address.topic(.program, .config)
        let issues = levels.outcome.errors.filter { $0.topic == topic }
            .map { ConfigurationIssue(path: $0.path, value: $0.value, problem: $0.message) }
        guard issues.isEmpty else { throw ConfigurationError(origin: origin, issues: issues) }
        self = levels
    }

    /// Whether the newest document of the program is in force. A refused one is replaced by the next change.
    private var isProgramInForce: Bool {
        let name = address.topicComponent(for: .program)
        return outcome.levels.contains { $0.level == name && $0.isApplied }
    }
}

extension TrackingSettings {
    /// Returns the settings as the value of the key `tracking`, with or without the time zone.
    fileprivate func document(includingZone: Bool) -> JSONValue {
        let zone = includingZone ? JSONValue.string(schedule.zone.identifier) : .null
        return document.applyingMergePatch(.object(["time_zone": zone]))
    }
}

extension TrackingSchedule {
    /// Replaces the zone of a schedule that has no minutes by the machine's.
    /// - Returns: Whether the zone is known.
    fileprivate mutating func resolveZone() -> Bool {
        guard expression == nil, zone == .utc else { return true }
        guard let system = try? ZoneDirectory.system.systemRules() else { return false }
        zone = system
        return true
    }
}

extension JSONValue {
    /// Returns the merge patch (RFC 7396) that changes this object into another one.
    fileprivate func mergePatch(to new: JSONValue) -> JSONValue {
        guard case .object(let old) = self, case .object(let members) = new else { return new }
        var patch: [String: JSONValue] = [:]
        for key in old.keys where members[key] == nil { patch[key] = .null }
        for (key, value) in members where old[key] != value { patch[key] = (old[key] ?? .null).mergePatch(to: value) }
        return .object(patch)
    }

    /// Returns the merge patch that has the effect of this patch and then of another one. An object that this patch
    /// removes and the other one sets is merged into the value below, because no patch can replace an object.
    fileprivate func composed(with next: JSONValue) -> JSONValue {
        guard case .object(let first) = self, case .object(let second) = next else { return next }
        return .object(first.merging(second) { $0.composed(with: $1) })
    }
}
