import OdographJSON
import OdographSettings
import OdographWire

extension RecorderConfiguration {
    /// Reads and checks a configuration file.
    /// - Throws: `ConfigurationError` with all mistakes and corrections.
    package static func load(_ path: String) throws(ConfigurationError) -> RecorderConfiguration {
        try RecorderConfiguration(
            document: try SettingsFile.document(at: path), origin: FileReader.name(of: path),
            paths: PathResolver(file: path))
    }

    /// The keys of an agent's broker that limit what a vehicle publishes or pays. The recorder mostly receives.
    package static let foreignBrokerKeys = [
        "maximum_in_flight", "maximum_in_flight_bytes", "maximum_message_bytes", "rate", "keep_alive_maximum",
    ]

    /// Reads a document.
    /// - Parameters:
    ///   - document: The document.
    ///   - origin: Its name in error messages.
    ///   - paths: Resolves the paths in it.
    /// - Throws: `ConfigurationError` with all mistakes.
    package init(document: JSONValue, origin: String, paths: PathResolver) throws(ConfigurationError) {
        var reader = SettingsReader(document, path: "")
        let broker = reader.object("broker", mayQuote: false) { reader in
            for key in Self.foreignBrokerKeys {
                reader.forbid(key, "the recorder has no such setting; remove the key")
            }
            return BrokerConfiguration(&reader, paths: paths)
        }
        let root = reader.string("root") ?? "fleet"
        let fleets = reader.strings("fleets")
        let database = reader.object("database") { reader in DatabaseLocation(&reader, paths: paths) }
        let batch = reader.object("batch") { reader in
            let usual = BatchLimits()
            return BatchLimits(
                seconds: reader.number("seconds", default: usual.seconds, in: 0.01...60, unit: "seconds"),
                records: reader.integer("records", default: usual.records, in: 1...100_000, unit: "messages"))
        }
        let limits = reader.object("limits") { reader in VehicleLimits(&reader) }
        let usual = ReceiptSettings()
        let receipts = ReceiptSettings(
            recorder: reader.string("name") ?? usual.recorder,
            interval: reader.integer(
                "receipt_interval", default: usual.interval, in: 1...86_400, unit: "seconds"),
            requiresBackup: reader.object("backup") { reader in
                reader.bool("required", default: usual.requiresBackup)
            })
        retentionDays = reader.object("retention") { reader in
            let days = reader.integer("days", default: 0, in: 1...36_500, unit: "days")
            return days > 0 ? days : nil
        }
        history = reader.object("history") { reader in HistorySettings(&reader) }
        metrics = reader.object("metrics") { reader in
            let usual = MetricsSettings(path: "").seconds
            let seconds = reader.number("interval", default: usual, in: 1...3600, unit: "seconds")
            return reader.string("file").map { MetricsSettings(path: paths.resolve($0), seconds: seconds) }
        }
        let (mail, hasMail) = reader.object("mail") { (MailSettings(&$0, paths: paths), $0.hasValue("url")) }
        rules = RuleReader(fleets: fleets, paths: paths, mail: mail, hasMail: hasMail).rules(&reader)
        let needsFleet = fleets.count > 1
        relay = reader.object("traccar") { RelaySettings(&$0, paths: paths, needsFleet: needsFleet) }
        Self.checkNames(root: root, name: receipts.recorder, fleets: fleets, &reader)
        let issues = reader.allIssues()
        guard issues.isEmpty, let broker else { throw ConfigurationError(origin: origin, issues: issues) }
        recording = RecordingSettings(
            broker: broker, root: root, fleets: fleets, database: database, batch: batch, limits: limits,
            receipts: receipts)
    }

    private static func checkNames(root: String, name: String, fleets: [String], _ reader: inout SettingsReader) {
        if !reader.hasValue("fleets") || fleets.isEmpty {
            reader.reject("fleets", "missing; write the names of the fleets, such as [\"acme\"]")
        }
        if Set(fleets).count < fleets.count { reader.reject("fleets", "a fleet is there twice; write it once") }
        for (name, part) in [(root, "root"), (name, "name")] + fleets.map({ ($0, "fleet") }) {
            do throws(TopicNameError) {
                _ = try DeviceAddress.validated(name, part: part)
            } catch {
                reader.reject(part == "fleet" ? "fleets" : part, error.description)
            }
        }
    }
}

extension DatabaseLocation {
    /// Reads the object `database`.
    fileprivate init(_ reader: inout SettingsReader, paths: PathResolver) {
        let file = DatabaseLocation.file(
            path: paths.resolve(reader.string("path") ?? "/var/lib/odograph-recorder/recorder.db"))
        let passwordFile = reader.string("password_file").map(paths.resolve)
        guard let url = reader.string("url") else {
            if passwordFile != nil { reader.reject("password_file", "is for a server; set url too, or remove the key") }
            self = file
            return
        }
        if let address = PostgreSQLAddress(url, passwordFile: passwordFile) {
            self = .server(address)
        } else {
            reader.reject(
                "url", "must be postgresql://USER@HOST:PORT/DATABASE without a password; for it, set password_file")
            self = file
        }
    }
}
