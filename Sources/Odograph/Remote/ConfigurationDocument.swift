import OdographJSON
import Wire

/// A configuration document of one level, read but not yet laid over the others.
struct ConfigurationDocument: Hashable, Sendable {
    /// A configuration has a few kilobytes; what is larger was published to the wrong topic, or to do harm.
    static let maximumBytes = 256 << 10
    /// What only the local file may say: who the agent is and whom it trusts.
    static let localKeys = [
        "root", "fleet", "device", "groups", "broker", "source", "store", "control", "log", "privacy", "password",
        "credentials",
    ]

    /// The payload as it came.
    let bytes: [UInt8]
    /// SHA-256 of the payload.
    let hash: String
    /// Its own version, where it has one.
    let version: String?
    /// What it lays over the levels below.
    let patch: JSONValue

    /// - Throws: ``ConfigurationError`` where it is no document, or says what no remote document may.
    init(_ bytes: [UInt8], hash: String, origin: String) throws(ConfigurationError) {
        self.bytes = bytes
        self.hash = hash
        guard bytes.count <= Self.maximumBytes else { throw Self.tooLarge(bytes.count, origin: origin) }
        let document: JSONValue
        do {
            document = try JSON5Parser.value(of: bytes)
        } catch {
            throw ConfigurationError(origin: origin, issues: [ConfigurationIssue(error)])
        }
        var reader = SettingsReader(document, path: "")
        if document == .null {
            reader.reject("", "write an object, { … }; to withdraw the level publish an empty payload")
        }
        for key in Self.localKeys {
            reader.forbid(key, "only the vehicle's own file may set this; take it out")
        }
        version = reader.string("version")
        if let version, version.utf8.count > 128 { reader.reject("version", "write at most 128 characters") }
        // Whether it makes sense is seen when it lies over the levels below.
        let isPresent = reader.hasKey("tracking")
        let tracking = reader.value("tracking")
        patch = .object(isPresent ? ["tracking": tracking ?? .null] : [:])
        let issues = reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: origin, issues: issues + Self.issues(of: patch)) }
    }

    /// What is wrong with a patch by itself: said beside the mistakes around it, so that all can be mended in one go.
    private static func issues(of patch: JSONValue) -> [ConfigurationIssue] {
        var reader = SettingsReader(JSONValue.object([:]).applyingMergePatch(patch), path: "")
        _ = reader.object("tracking", TrackingSettings.init)
        return reader.allIssues()
    }

    static func tooLarge(_ count: Int, origin: String) -> ConfigurationError {
        let problem =
            "\(count) bytes; a configuration document has at most \(maximumBytes). Is it meant for another topic?"
        return ConfigurationError(origin: origin, issues: [ConfigurationIssue(path: "", problem: problem)])
    }
}
