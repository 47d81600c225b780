import OdographJSON
import Wire

/// What an analysis is told beside its capture.
public struct AnalysisSettings: Hashable, Sendable {
    /// The `device_id` of its records.
    public var deviceID = "analysis"
    /// As in an agent's configuration.
    public var tracking = TrackingSettings()

    /// The defaults.
    public init() {}

    /// Reads an agent's whole configuration file, or a document with `tracking` alone (a remote one with its `version`
    /// is such a document).
    /// - Throws: ``ConfigurationError`` with everything that is wrong.
    public static func load(_ path: String) throws(ConfigurationError) -> AnalysisSettings {
        let document = try ConfigurationFile.document(at: path)
        var settings = AnalysisSettings()
        guard isPartial(document) else {
            let paths = PathResolver(folder: PathResolver.folder(of: path))
            let whole = try AgentConfiguration(document: document, origin: path, paths: paths)
            settings.deviceID = whole.address.device
            settings.tracking = whole.tracking
            return settings
        }
        var reader = SettingsReader(document, path: "")
        _ = reader.string("version")
        settings.tracking = reader.object("tracking", TrackingSettings.init)
        let issues = reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: path, issues: issues) }
        return settings
    }

    /// Whether nothing in a document names an agent: then it is not asked for one.
    private static func isPartial(_ document: JSONValue) -> Bool {
        guard case .object(let members) = document else { return true }
        return ["fleet", "device", "broker"].allSatisfy { members[$0] == nil }
    }
}
