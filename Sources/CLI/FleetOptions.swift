import ArgumentParser
import Odograph
import OdographOperator
import Wire

/// The options that select a fleet and its broker.
struct FleetOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The broker, such as mqtts://broker.example.", valueName: "url"))
    var broker: String

    @Option(help: "The fleet's name.")
    var fleet: String

    @Option(help: "The first part of every topic.")
    var root = "fleet"

    @Option(help: "The user to log in as. The password is in ODOGRAPH_BROKER_PASSWORD, or in a file.")
    var username: String?

    @Option(help: "A file that holds the password.", completion: .file())
    var passwordFile: String?

    @Option(help: "The authority that signed the broker's certificate, PEM.", completion: .file())
    var caFile: String?

    @Option(help: "What the broker is to know you by, a certificate, PEM.", completion: .file())
    var certificateFile: String?

    @Option(help: "The key of that certificate, PEM.", completion: .file())
    var keyFile: String?

    @Flag(help: "Let the network read what is said, where the broker knows plain text only.")
    var allowInsecure = false

    /// Checks the range of a timeout.
    static func check(timeout: Double) throws {
        guard (0.1...86_400).contains(timeout) else {
            throw ValidationError("--timeout takes seconds from 0.1 to 86400.")
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
        var configuration = try BrokerConfiguration(
            address: broker, caFile: caFile, certificateFile: certificateFile, keyFile: keyFile)
        configuration.username = username
        configuration.passwordFile = passwordFile
        configuration.allowsInsecure = allowInsecure
        let desk = try FleetClient(broker: configuration, root: root, fleet: fleet)
        try await desk.connect(isWatching: isWatching)
        return desk
    }
}
