import ArgumentParser
import Odograph
import OdographConsole

/// The command `odograph`.
@main
struct OdographCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph",
        abstract: "Records where a vehicle is and what it did, and publishes it over MQTT.",
        discussion: """
            With --json a command prints one object per line, and nothing else, on the standard output. Messages for \
            people are on the standard error. In the locale C or POSIX, or without UTF-8, the output is ASCII.

            Exit codes:
            0: success; also an agent that SIGTERM or SIGINT has stopped.
            1: a check has failed; a vehicle rejected a document or command, or another sender replaced the document; \
            a difference of geofences; the answer to a question was no.
            64: the arguments are invalid; broker or fleet are missing; geofences would be removed without --yes.
            65: the input is invalid: a capture, GeoJSON, a schedule, a time; a damaged or foreign database; a lost \
            odometer; the agent on this machine refused the command.
            66: an input file, or the password file of a fleet command, does not exist or cannot be read.
            69: the agent, the broker or a vehicle does not respond; a vehicle, group, fleet, document or position is \
            not known.
            70: an internal error.
            73: a file cannot be created: control socket, folder.
            74: reading or writing failed: output, capture, disk.
            75: another agent uses the database or the socket; the vehicle to forget is online. Try again.
            77: this user lacks a permission; the broker refused a message or a subscription.
            78: the configuration, the desk's profile or a configuration document is missing or wrong; the agent's \
            password file cannot be read.
            """,
        version: Build.version,
        subcommands: [
            RunCommand.self, ReplayCommand.self, SimulateCommand.self, AnalyzeCommand.self, StatusCommand.self,
            LocationsCommand.self, TimelineCommand.self, OdometerCommand.self, SetCommand.self,
            GeofencesCommand.self, ConfigCommand.self, DoctorCommand.self, ScheduleCommand.self, FleetCommand.self,
        ])

    static func main() async { await CommandEntry.run(Self.self) }
}
