import ArgumentParser
import Odograph
import OdographCivilTime
import OdographConsole
import OdographOperator

/// `odograph fleet locate VEHICLE…`.
struct FleetLocateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate", abstract: "Print the newest position of vehicles, its age and its error, and a link.",
        discussion: """
            The position is the one that the broker retains, also of a vehicle that is offline. The link is a geo: URI \
            (RFC 5870), which maps open. The exit code is 69 if a vehicle is not known or has no position.

            With --at the recorders of the fleet say where the vehicles were at a time; they answer with \
            history.answer. The place is that of a stop, of a record, or between two records of at most ten minutes. \
            The error is the radius in which the vehicle was. If the vehicle was last heard at a stop before TIME, the \
            place is that of the stop, with the age. Records are looked for within 25 hours. Of private use there is \
            no place. TIME is ISO-8601, a date and a time in the zone, or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var fleet: FleetOptions

    @Argument(help: ArgumentHelp("The names of the vehicles.", valueName: "vehicle"))
    var vehicles: [String]

    @Option(help: ArgumentHelp("The time of the position, instead of the newest one.", valueName: "time"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            """
            The time zone of --at, such as Europe/Madrid. Default: the zone of the vehicle's days, else of this machine.
            """,
            valueName: "zone"))
    var timeZone: String?

    @Flag(help: "Print one JSON object per vehicle.")
    var json = false

    func validate() throws {
        for vehicle in vehicles { try FleetOptions.check(vehicle, what: "device") }
        let zone = try TimeOption.localZone(timeZone)
        guard try TimeOption.time(at, zone: zone) != nil || timeZone == nil else {
            throw ValidationError("--time-zone is an option of --at only.")
        }
    }

    func run() async throws {
        if let at { return try await showPast(at) }
        let (positions, unknown) = try await fleet.using(isWatching: true) { await $0.positions(of: vehicles) }
        let now = Timestamp.now
        for position in positions {
            if json {
                try Console.printJSON(try position.json(now: now))
            } else {
                try Console.print(position.text(now: now, width: Console.terminalSize?.columns))
            }
        }
        if !unknown.isEmpty { throw ExitError(.unavailable, unknown.joined(separator: "\n")) }
        if positions.contains(where: { $0.location == nil }) { throw ExitCode(ExitError.Code.unavailable.rawValue) }
    }

    /// Prints where the vehicles were at a time, which is read in the zone of each.
    private func showPast(_ text: String) async throws {
        let person = try fleet.settings().broker.username ?? "desk"
        var hasAll = true
        try await fleet.using { desk in
            for vehicle in vehicles {
                let zone = try await fleet.zone(of: vehicle, timeZone, using: desk)
                guard let time = try TimeOption.time(text, zone: zone) else { continue }
                let position = try await desk.position(of: vehicle, at: time, person: person)
                if json {
                    try Console.printJSON(try position.json())
                } else {
                    try Console.print(position.text(in: zone, width: Console.terminalSize?.columns))
                }
                hasAll = hasAll && position.place != nil
            }
        }
        if !hasAll { throw ExitCode(ExitError.Code.unavailable.rawValue) }
    }
}
