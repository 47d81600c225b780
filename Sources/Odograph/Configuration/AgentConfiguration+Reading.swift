import Logging
import OdographJSON
import OdographSettings
import OdographStore
import OdographWire

extension AgentConfiguration {
    /// Reads the complete document of the local file.
    /// - Throws: `ConfigurationError` with all mistakes.
    package init(document: JSONValue, origin: String, paths: PathResolver) throws(ConfigurationError) {
        var reader = SettingsReader(document, path: "")
        let address = DeviceAddress(&reader)
        let groups = reader.groups() ?? []
        let broker = reader.object("broker", mayQuote: false) { BrokerConfiguration(&$0, paths: paths) }
        certificateRenewDays = reader.object("certificate") {
            $0.optionalInteger("renew_days", in: 1...9999, unit: "days")
        }
        source = reader.object("source") { SourceConfiguration(&$0, paths: paths) }
        vehicle = reader.object("vehicle") { VehicleConfiguration(&$0, paths: paths) }
        let store = reader.object("store") { StoreConfiguration(&$0, paths: paths) }
        let control = reader.object("control") { $0.string("path").map(paths.resolve) }
        logLevel = reader.object("log") { $0.choice("level", default: Logger.Level.info) }
        isPrivacyLocked = reader.object("privacy") { $0.bool("locked", default: false) }
        tracking = reader.object("tracking", TrackingSettings.init)
        trackingDocument = reader.value("tracking") ?? .object([:])
        let issues = reader.allIssues()
        guard issues.isEmpty, let address, let broker else {
            throw ConfigurationError(origin: origin, issues: issues)
        }
        self.address = address
        self.groups = groups
        self.broker = broker
        self.store = store
        controlPath = control ?? Self.defaultControlPath(beside: store.path)
    }

    /// Returns the default path of the control socket: in the folder of the database.
    package static func defaultControlPath(beside storePath: String) -> String {
        let folder = PathResolver.folder(of: storePath)
        return folder.isEmpty ? "control.sock" : folder + "/control.sock"
    }
}

extension DeviceAddress {
    fileprivate init?(_ reader: inout SettingsReader) {
        let root = reader.string("root") ?? "fleet"
        let fleet = Self.required("fleet", example: "acme", &reader)
        let device = Self.required("device", example: "van-7", &reader)
        guard let fleet, let device else { return nil }
        do {
            try self.init(root: root, fleet: fleet, device: device)
        } catch {
            reader.reject(error.part, error.description)
            return nil
        }
    }

    private static func required(_ key: String, example: String, _ reader: inout SettingsReader) -> String? {
        if let name = reader.string(key) { return name }
        if !reader.hasValue(key) { reader.reject(key, "missing; write a name, such as \(key): \"\(example)\"") }
        return nil
    }
}

extension StoreConfiguration {
    /// The unit of `maximum_size`, bytes.
    static let megabyte = 1_000_000.0

    fileprivate init(_ reader: inout SettingsReader, paths: PathResolver) {
        path = paths.resolve(reader.string("path") ?? "/var/lib/odograph/agent.db")
        let usual = StoreOptions()
        synchronous = reader.choice("synchronous", default: usual.synchronous)
        let usualMegabytes = Double(usual.maximumBytes) / Self.megabyte
        let megabytes = reader.number("maximum_size", default: usualMegabytes, in: 1...1_000_000, unit: "megabytes")
        maximumBytes = Int(megabytes * Self.megabyte)
    }
}
