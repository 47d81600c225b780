import ArgumentParser
import Glibc
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// The options that select a fleet and its broker.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address of the broker, such as mqtts://broker.example. Default: ODOGRAPH_BROKER, else the profile.",
            valueName: "url"))
    var broker: String?

    @Option(help: "The name of the fleet. Default: ODOGRAPH_FLEET, else the profile.")
    var fleet: String?

    @Option(help: "The first part of every topic. Default: ODOGRAPH_ROOT, else the profile, else fleet.")
    var root: String?

    @Option(help: "The user name at the broker. The password is in ODOGRAPH_BROKER_PASSWORD or in --password-file.")
    var username: String?

    @Option(help: "A file with the password.", completion: .file())
    var passwordFile: String?

    @Option(help: "The certificate of the authority that signed the broker's certificate, PEM.", completion: .file())
    var caFile: String?

    @Option(help: "The client certificate, PEM.", completion: .file())
    var certificateFile: String?

    @Option(help: "The private key of the client certificate, PEM.", completion: .file())
    var keyFile: String?

    @Flag(help: "Allow a connection without encryption (mqtt://). The network can read all messages.")
    var allowInsecure = false

    @Option(
        help: ArgumentHelp(
            "The profile with broker, fleet and login. Default: ODOGRAPH_DESK, else ~/.config/odograph/desk.json5.",
            valueName: "file"), completion: .file())
    var profile: String?

    /// The folder in which this user's desk keeps documents; nil without a home folder.
    static var stateFolder: String? { DeskFolders(DeskSettings.environment).state }

    /// The name under which the desk publishes: the login at the broker, else the user of this machine; and the
    /// machine.
    private static func sender(_ username: String?) -> String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        let isKnown = gethostname(&name, name.count) == 0
        let host = isKnown ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
        let user = username ?? getenv("USER").map { String(cString: $0) } ?? "uid \(getuid())"
        return host.isEmpty ? user : "\(user)@\(host)"
    }

    /// Checks the range of a timeout.
    static func check(timeout: Double) throws {
        guard (0.1...86_400).contains(timeout) else {
            throw ValidationError("--timeout must be from 0.1 to 86400 seconds.")
        }
    }

    /// Checks a name before the broker is contacted.
    static func check(_ name: String?, what: String) throws {
        guard let name else { return }
        do throws(TopicNameError) {
            _ = try DeviceAddress.validated(name, part: what)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// - Parameter isWatching: whether to subscribe also to positions and to the retained configuration documents.
    func connect(isWatching: Bool = false) async throws -> FleetClient {
        let settings = try settings()
        for finding in CertificateCheck(settings.broker.tls).findings() {
            Console.printMessage(finding.text + (finding.advice.map { "; \($0)" } ?? "") + "\n")
        }
        for warning in settings.broker.secretExposureWarnings { Console.printMessage(warning.printable + "\n") }
        let desk = try FleetClient(
            broker: settings.broker, root: settings.root, fleet: settings.fleet,
            sender: Self.sender(settings.broker.username))
        try await desk.connect(isWatching: isWatching)
        return desk
    }

    /// Connects, uses the client, and disconnects, also after an error.
    /// - Parameter isWatching: as for ``connect(isWatching:)``.
    func using<Result: Sendable>(
        isWatching: Bool = false, _ body: (FleetClient) async throws -> Result
    ) async throws -> Result {
        let desk = try await connect(isWatching: isWatching)
        do {
            let result = try await body(desk)
            await desk.disconnect()
            return result
        } catch {
            await desk.disconnect()
            throw error
        }
    }

    /// Returns the zone in which times of a vehicle are read and printed.
    /// - Parameter name: The zone that the operator wants; nil for that of the vehicle's days, else of this machine.
    func zone(of vehicle: String, _ name: String?, using desk: FleetClient) async throws -> ZoneRules {
        let own = name == nil ? await desk.zoneOfDays(of: vehicle) : nil
        return try (try? TimeOption.zone(own)) ?? TimeOption.localZone(name)
    }

    /// Returns the broker, the login and the fleet: from the options, else the environment, else the profile.
    /// - Throws: `ConfigurationError` for a wrong profile; `ExitError` if a value is wrong or missing.
    func settings() throws -> DeskSettings {
        var options = DeskSettings.Options()
        (options.broker, options.fleet, options.root) = (broker, fleet, root)
        (options.username, options.passwordFile, options.caFile) = (username, passwordFile, caFile)
        (options.certificateFile, options.keyFile) = (certificateFile, keyFile)
        (options.allowsInsecure, options.profile) = (allowInsecure, profile)
        return try DeskSettings(options)
    }
}
