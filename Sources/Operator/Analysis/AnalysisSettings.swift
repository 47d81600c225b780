import Odograph
import OdographJSON
import OdographWire

/// The settings of an analysis, apart from its capture.
public struct AnalysisSettings: Hashable, Sendable {
    /// The `device_id` in the records.
    public var deviceID = "analysis"
    /// The tracking settings, as in an agent's configuration.
    public var tracking = TrackingSettings()

    /// Creates the default settings.
    public init() {}

    /// Reads a complete agent configuration, or a document that contains only `tracking` and possibly `version`, such
    /// as a remote one.
    /// - Throws: `ConfigurationError` with all mistakes.
    public static func load(_ path: String) throws(ConfigurationError) -> AnalysisSettings {
        let document = try SettingsFile.document(at: path)
        var settings = AnalysisSettings()
        guard isPartial(document) else {
            let paths = PathResolver(file: path)
            let whole = try AgentConfiguration(document: document, origin: FileReader.name(of: path), paths: paths)
            settings.deviceID = whole.address.device
            settings.tracking = whole.tracking
            return settings
        }
        var reader = SettingsReader(document, path: "")
        _ = reader.string("version")
        settings.tracking = reader.object("tracking", TrackingSettings.init)
        let issues = reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: FileReader.name(of: path), issues: issues) }
        return settings
    }

    /// Whether a document has no keys of an agent. Such a document need not be a complete configuration.
    private static func isPartial(_ document: JSONValue) -> Bool {
        guard case .object(let members) = document else { return true }
        return ["fleet", "device", "broker"].allSatisfy { members[$0] == nil }
    }
}
