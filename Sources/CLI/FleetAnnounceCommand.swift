import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph fleet announce`.
struct FleetAnnounceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announce", abstract: "Make the vehicles known to another program.",
        subcommands: [FleetAnnounceHomeAssistantCommand.self])
}

/// `odograph fleet announce homeassistant`.
struct FleetAnnounceHomeAssistantCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "homeassistant", abstract: "Publish the vehicles' discovery documents for Home Assistant.",
        discussion: """
            Publishes one retained document per vehicle: for all known vehicles of the fleet, or only for those that \
            you name. The MQTT integration of Home Assistant, 2024.12 or later, then shows each vehicle as a device \
            with position, speed, odometer, movement, battery and connection. Run the command again after a vehicle \
            was added. --remove removes the documents, and Home Assistant the devices. The exit code is 69 if a \
            vehicle is not known (with --remove: has no document), and then nothing is published.
            """)

    @OptionGroup var fleet: FleetOptions

    @Argument(help: ArgumentHelp("The names of the vehicles. Default: all.", valueName: "vehicle"))
    var vehicles: [String] = []

    @Option(help: "Only the vehicles of a group.")
    var group: String?

    @Flag(help: "All vehicles of the fleet, the default.")
    var all = false

    @Flag(help: "Remove the documents, also those of vehicles that are no longer known.")
    var remove = false

    @Option(help: "The first part of the topics, the discovery prefix in the settings of Home Assistant.")
    var prefix = "homeassistant"

    @Flag(help: "Print one JSON object per vehicle.")
    var json = false

    func validate() throws {
        guard [!vehicles.isEmpty, group != nil, all].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give vehicles, or --group NAME, or --all.")
        }
        for vehicle in vehicles { try FleetOptions.check(vehicle, what: "device") }
        try FleetOptions.check(group, what: "group")
    }

    func run() async throws {
        let outcomes = try await fleet.using { desk in
            remove
                ? try await desk.withdrawAnnouncements(vehicles, group: group, prefix: prefix)
                : try await desk.announce(vehicles, group: group, prefix: prefix)
        }
        if json {
            try Console.printJSON(try AnnouncementOutcome.jsonLines(outcomes))
        } else {
            try Console.print(AnnouncementOutcome.text(outcomes))
        }
    }
}
