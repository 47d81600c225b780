import Odograph
import OdographJSON
import OdographWire

/// The profile of an operator's desk: the broker, the login and the fleet of all `fleet` commands.
public struct DeskProfile: Hashable, Sendable {
    /// The broker and the login; nil if the file has none.
    public var broker: BrokerConfiguration?
    /// The first part of every topic; nil if the file has none.
    public var root: String?
    /// The name of the fleet; nil if the file has none.
    public var fleet: String?

    /// A profile without a setting.
    public init() {}

    /// The keys of an agent's broker that a desk does not have.
    package static let foreignBrokerKeys = [
        "client_id", "maximum_in_flight", "maximum_in_flight_bytes", "maximum_message_bytes", "rate",
        "keep_alive_maximum",
    ]

    /// Reads and checks a file.
    /// - Throws: `ConfigurationError` with all mistakes and corrections.
    public static func load(_ path: String) throws(ConfigurationError) -> DeskProfile {
        try DeskProfile(
            document: try SettingsFile.document(at: path), origin: FileReader.name(of: path),
            paths: PathResolver(file: path))
    }

    /// Reads a document.
    /// - Parameters:
    ///   - document: The document.
    ///   - origin: Its name in error messages.
    ///   - paths: Resolves the paths in it.
    /// - Throws: `ConfigurationError` with all mistakes.
    package init(document: JSONValue, origin: String, paths: PathResolver) throws(ConfigurationError) {
        var reader = SettingsReader(document, path: "")
        fleet = reader.string("fleet")
        root = reader.string("root")
        if reader.hasValue("broker") {
            broker = reader.object("broker", mayQuote: false) { reader in
                for key in Self.foreignBrokerKeys { reader.forbid(key, "the desk has no such setting; remove the key") }
                return BrokerConfiguration(&reader, paths: paths)
            }
        } else {
            _ = reader.value("broker")
        }
        for (key, name) in [("fleet", fleet), ("root", root)] {
            guard let name else { continue }
            do throws(TopicNameError) {
                _ = try DeviceAddress.validated(name, part: key)
            } catch {
                reader.reject(key, error.description)
            }
        }
        let issues = reader.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(origin: origin, issues: issues) }
    }
}
