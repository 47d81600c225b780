import Odograph
import OdographJSON
import OdographWire

extension RecorderConfiguration {
    /// Reads and checks a configuration file.
    /// - Throws: `ConfigurationError` with all mistakes and corrections.
    package static func load(_ path: String) throws(ConfigurationError) -> RecorderConfiguration {
        try RecorderConfiguration(
            document: try ConfigurationFile.document(at: path), origin: path,
            paths: PathResolver(folder: PathResolver.folder(of: path)))
    }

    /// Reads a document.
    /// - Parameters:
    ///   - document: The document.
    ///   - origin: Its name in error messages.
    ///   - paths: Resolves the paths in it.
    /// - Throws: `ConfigurationError` with all mistakes.
    package init(document: JSONValue, origin: String, paths: PathResolver) throws(ConfigurationError) {
        var reader = SettingsReader(document, path: "")
        let broker = reader.object("broker", mayQuote: false) { reader in
            reader.forbid("window", "the recorder publishes nothing; remove the key")
            return BrokerConfiguration(&reader, paths: paths)
        }
        root = reader.string("root") ?? "fleet"
        fleets = reader.strings("fleets")
        databasePath = reader.object("database") { reader in
            paths.resolve(reader.string("path") ?? "/var/lib/odograph-recorder/recorder.db")
        }
        batch = reader.object("batch") { reader in
            let usual = BatchLimits()
            return BatchLimits(
                seconds: reader.number("seconds", default: usual.seconds, in: 0.01...60, unit: "seconds"),
                records: reader.integer("records", default: usual.records, in: 1...100_000, unit: "messages"))
        }
        retentionDays = reader.object("retention") { reader in
            let days = reader.integer("days", default: 0, in: 1...36_500, unit: "days")
            return days > 0 ? days : nil
        }
        Self.checkNames(root: root, fleets: fleets, &reader)
        let issues = reader.allIssues()
        guard issues.isEmpty, let broker else { throw ConfigurationError(origin: origin, issues: issues) }
        self.broker = broker
    }

    private static func checkNames(root: String, fleets: [String], _ reader: inout SettingsReader) {
        if !reader.hasValue("fleets") || fleets.isEmpty {
            reader.reject("fleets", "missing; write the names of the fleets, such as [\"acme\"]")
        }
        if Set(fleets).count < fleets.count { reader.reject("fleets", "a fleet is there twice; write it once") }
        for (name, part) in [(root, "root")] + fleets.map({ ($0, "fleet") }) {
            do throws(TopicNameError) {
                _ = try DeviceAddress.validated(name, part: part)
            } catch {
                reader.reject(part == "root" ? "root" : "fleets", error.description)
            }
        }
    }
}
