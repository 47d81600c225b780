import ArgumentParser
import Odograph
import OdographConsole

/// The command `odograph`.
@main
struct OdographCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph",
        abstract: "Records where a vehicle is and what it did, and publishes it over MQTT.",
        version: Build.version,
        subcommands: [
            RunCommand.self, ReplayCommand.self, SimulateCommand.self, AnalyzeCommand.self, StatusCommand.self,
            LocationsCommand.self, TimelineCommand.self, OdometerCommand.self, SetCommand.self,
            GeofencesCommand.self, ConfigCommand.self, DoctorCommand.self, ScheduleCommand.self, FleetCommand.self,
        ])

    static func main() async { await CommandEntry.run(Self.self) }
}
