import Glibc
import Odograph
import OdographLink
import OdographTerminal

/// The broker, the login and the fleet of a command: from the options, else the environment, else the profile.
public struct DeskSettings: Hashable, Sendable {
    /// The values that the options of a command give.
    public struct Options: Hashable, Sendable {
        /// The address of the broker.
        public var broker: String?
        /// The name of the fleet.
        public var fleet: String?
        /// The first part of every topic.
        public var root: String?
        /// The user name.
        public var username: String?
        /// The file with the password.
        public var passwordFile: String?
        /// The authority that signed the broker's certificate, PEM.
        public var caFile: String?
        /// The client certificate, PEM.
        public var certificateFile: String?
        /// The key of the client certificate, PEM.
        public var keyFile: String?
        /// Whether a connection without encryption is allowed.
        public var allowsInsecure = false
        /// The profile.
        public var profile: String?

        /// No option.
        public init() {}
    }

    /// The broker and the login.
    public var broker: BrokerConfiguration
    /// The first part of every topic.
    public var root: String
    /// The name of the fleet.
    public var fleet: String

    /// The names of the environment variables, by what they set.
    package static let variables = [
        "profile": "ODOGRAPH_DESK", "broker": "ODOGRAPH_BROKER", "fleet": "ODOGRAPH_FLEET", "root": "ODOGRAPH_ROOT",
        "username": "ODOGRAPH_USERNAME", "password": "ODOGRAPH_PASSWORD_FILE", "ca": "ODOGRAPH_CA_FILE",
        "certificate": "ODOGRAPH_CERTIFICATE_FILE", "key": "ODOGRAPH_KEY_FILE",
    ]

    /// Returns the value of an environment variable of this process; nil if it is absent or empty. Without `HOME`, as
    /// some programs start others, the home folder is that of the user's account.
    @Sendable public static func environment(_ name: String) -> String? {
        let value = getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        return value ?? (name == "HOME" ? homeOfAccount : nil)
    }

    private static var homeOfAccount: String? {
        var (account, found): (passwd, UnsafeMutablePointer<passwd>?) = (passwd(), nil)
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(getuid(), &account, &buffer, buffer.count, &found) == 0, found != nil,
            let folder = account.pw_dir.map({ String(cString: $0) }), folder.hasPrefix("/")
        else { return nil }
        return folder
    }

    /// - Parameters:
    ///   - options: The options of the command.
    ///   - variable: Returns the value of an environment variable; nil if it is absent or empty.
    /// - Throws: `ConfigurationError` for a wrong profile; `ExitError` if a value is wrong or missing.
    public init(
        _ options: Options, environment variable: @escaping @Sendable (String) -> String? = DeskSettings.environment
    ) throws {
        func named(_ key: String) -> String? { Self.variables[key].flatMap(variable) }
        let usual = DeskFolders(variable).profile
        let profile = try Self.profile(options.profile ?? named("profile"), usual: usual)
        let place = options.profile ?? named("profile") ?? usual ?? "a profile (--profile)"
        guard let fleet = options.fleet ?? named("fleet") ?? profile.fleet else {
            throw ExitError(
                .usage, "no fleet is given; give --fleet NAME, set ODOGRAPH_FLEET, or write fleet into \(place)")
        }
        self.fleet = fleet
        root = options.root ?? named("root") ?? profile.root ?? "fleet"
        broker = try Self.broker(options, named, profile, place)
        // The certificate and its key are a pair: both are from the same source.
        if options.certificateFile != nil || options.keyFile != nil {
            (broker.tls.certificateFile, broker.tls.keyFile) = (options.certificateFile, options.keyFile)
        } else if named("certificate") != nil || named("key") != nil {
            (broker.tls.certificateFile, broker.tls.keyFile) = (named("certificate"), named("key"))
        }
        guard (broker.tls.certificateFile == nil) == (broker.tls.keyFile == nil) else {
            throw ExitError(.usage, "a client certificate needs its private key; give both")
        }
        broker.username = options.username ?? named("username") ?? broker.username
        if let file = options.passwordFile ?? named("password") {
            broker.passwordFile = file
        } else if variable(BrokerCredentials.environmentVariable) != nil {
            broker.passwordFile = nil
        }
        if let file = options.caFile ?? named("ca") { (broker.tls.caFile, broker.tls.caFolder) = (file, nil) }
    }

    /// Reads the profile. The usual one may be absent.
    private static func profile(_ given: String?, usual: String?) throws(ConfigurationError) -> DeskProfile {
        if let given { return try DeskProfile.load(given) }
        guard let usual, FileReader.mayExist(usual) else { return DeskProfile() }
        return try DeskProfile.load(usual)
    }

    private static func broker(
        _ options: Options, _ named: (String) -> String?, _ profile: DeskProfile, _ place: String
    ) throws(ExitError) -> BrokerConfiguration {
        let (address, source) =
            options.broker.map { ($0, "--broker") } ?? named("broker").map { ($0, "ODOGRAPH_BROKER") } ?? ("", "")
        guard !source.isEmpty else {
            guard var broker = profile.broker else {
                throw ExitError(
                    .usage,
                    "no broker is given; give --broker URL, set ODOGRAPH_BROKER, or write broker.url into \(place)")
            }
            broker.allowsInsecure = broker.allowsInsecure || options.allowsInsecure
            return broker
        }
        let url: BrokerURL
        do {
            url = try BrokerURL(address)
        } catch {
            throw ExitError(.usage, "\(source): \(error)")
        }
        var broker = profile.broker ?? BrokerConfiguration(url: url)
        // The profile's permission is for its own broker: the login must not go to another one without encryption.
        broker.allowsInsecure = options.allowsInsecure || (broker.allowsInsecure && broker.url == url)
        broker.url = url
        return broker
    }
}
