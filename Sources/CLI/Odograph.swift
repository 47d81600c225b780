import ArgumentParser
import Odograph

/// The command `odograph`.
@main
struct OdographCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph",
        abstract: "Tells the world over MQTT where a vehicle is and what it did.",
        version: Build.version,
        subcommands: [
            Run.self, Replay.self, Analyze.self, Status.self, Locations.self, Timeline.self, OdometerCommand.self,
            GeofencesCommand.self, ConfigCommand.self, DoctorCommand.self, ScheduleCommand.self, FleetCommand.self,
        ])
}
