import OdographJSON
import OdographLink
import OdographSettings
import OdographWire

/// A configuration document of one level, parsed but not yet merged with the others.
package struct ConfigurationDocument: Hashable, Sendable {
    /// The maximum size. A configuration has a few kilobytes; a larger payload is on the wrong topic, or an attack.
    package static let maximumBytes = 256 << 10
    /// The keys that only the local file may set: the agent's identity and the parties that it trusts.
    package static let localKeys = [
        "root", "fleet", "device", "certificate", "source", "store", "control", "log", "privacy", "password",
        "credentials",
    ]

    /// The payload.
    package let bytes: [UInt8]
    /// The SHA-256 hash of the payload.
    package let hash: String
    /// The document's own version, if any.
    package let version: String?
    /// The groups of the vehicle; nil: those of the local file. Only the vehicle's own document can set them: a
    /// document of a group could otherwise remove the vehicle from the group that it came from.
    package let groups: [String]?
    /// The merge patch over the weaker levels.
    package let patch: JSONValue

    /// The keys that decide when positions are private or not recorded.
    private static let scheduleKeys: Set = ["enabled", "schedule", "time_zone", "off_schedule", "schedule_before_time"]

    /// Whether the document sets when positions are private or not recorded.
    package var setsSchedule: Bool {
        guard case .object(let tracking)? = patch["tracking"] else { return false }
        return tracking.keys.contains(where: Self.scheduleKeys.contains)
    }

    /// - Throws: `ConfigurationError` if the document is invalid, or sets a key that its level may not set.
    package init(
        _ bytes: [UInt8], hash: String, level: DownlinkLevel, origin: String
    ) throws(ConfigurationError) {
        self.bytes = bytes
        self.hash = hash
        guard bytes.count <= Self.maximumBytes else { throw Self.tooLarge(bytes.count, origin: origin) }
        let document: JSONValue
        do {
            document = try JSON5Parser.document(of: bytes)
        } catch {
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(error)])
        }
        var reader = SettingsReader(document, path: "")
        if document == .null {
            reader.reject("", "write an object, { … }; to remove the document publish an empty payload")
        }
        for key in Self.localKeys {
            reader.forbid(key, "only the vehicle's local file can set this; remove it")
        }
        if level == .device {
            groups = reader.groups()
        } else {
            groups = nil
            reader.forbid(
                "groups", "only the vehicle's local file and the vehicle's own document can set this; remove it")
        }
        version = reader.string("version")
        if let version, version.unicodeScalars.count > 128 { reader.reject("version", "write at most 128 characters") }
        // The values are validated after the merge with the weaker levels.
        var members: [String: JSONValue] = [:]
        let (tracking, broker) = (reader.value("tracking"), Self.addresses(&reader))
        if reader.hasKey("tracking") { members["tracking"] = tracking ?? .null }
        if reader.hasKey("broker") { members["broker"] = broker }
        if let groups { members["groups"] = .array(groups.map { .string($0) }) }
        patch = .object(members)
        let issues = reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: origin, issues: issues + Self.issues(of: patch)) }
    }

    /// Reads `broker`, of which a document can set the addresses alone: it says where the broker is, and not what the
    /// vehicle trusts or how it proves who it is.
    private static func addresses(_ reader: inout SettingsReader) -> JSONValue {
        guard let broker = reader.value("broker") else { return .null }
        guard case .object(let keys) = broker else { return broker }
        reader.object("broker", mayQuote: false) { reader in
            _ = reader.value("url")
            for key in keys.keys.sorted() where key != "url" {
                reader.forbid(key, "only the vehicle's local file can set this; a document can set broker.url alone")
            }
        }
        return .object(keys.filter { $0.key == "url" })
    }

    /// Returns the errors in a patch alone, so that one report contains all errors of a document.
    private static func issues(of patch: JSONValue) -> [ConfigurationIssue] {
        var reader = SettingsReader(JSONValue.object([:]).applyingMergePatch(patch), path: "")
        _ = reader.object("tracking", TrackingSettings.init)
        _ = reader.object("broker", mayQuote: false) { BrokerURL.list(&$0) }
        // The document's own reader has read them.
        _ = reader.value("groups")
        return reader.allIssues()
    }

    package static func tooLarge(_ count: Int, origin: String) -> ConfigurationError {
        let problem =
            "\(count) bytes; a configuration document has at most \(maximumBytes). Is this the right topic?"
        return ConfigurationError(origin: origin, issues: [ConfigurationIssue(path: "", problem: problem)])
    }
}
