import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph fleet groups VEHICLE GROUP…`.
struct FleetGroupsCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "Set the groups of a vehicle, and wait for its report.",
        discussion: """
            Reads the document of the vehicle that the broker retains, sets its key "groups", and publishes it. A \
            later group overrides an earlier one. The broker must permit the vehicle to read the topics of its groups: \
            where "provision" has set up the broker, "provision group" changes that too. The exit codes are those of \
            "odograph fleet config set"; 69 also if the vehicle uses a document that the broker does not retain.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var publication: FleetPublication

    @Argument(help: ArgumentHelp("The vehicle.", valueName: "vehicle"))
    var device: String

    @Argument(help: ArgumentHelp("Its groups, instead of all that it is in.", valueName: "group"))
    var groups: [String] = []

    @Flag(help: "The vehicle is to be in no group.")
    var none = false

    @Flag(help: "The vehicle is to be in the groups of its own local file.")
    var local = false

    func validate() throws {
        guard [!groups.isEmpty, none, local].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of the groups, --none and --local.")
        }
        try FleetOptions.check(device, what: "device")
        for group in groups { try FleetOptions.check(group, what: "group") }
    }

    func run() async throws {
        try await fleet.using { desk in
            let document = try await desk.document(of: device, settingGroups: local ? nil : groups)
            try await publication.publish(
                document, origin: "the document with the groups",
                to: DocumentPlace(.configuration, level: .device, device: device), using: desk)
        }
    }
}
