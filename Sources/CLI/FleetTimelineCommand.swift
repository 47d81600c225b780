import ArgumentParser
import Odograph
import OdographCivilTime
import OdographConsole
import OdographOperator

/// `odograph fleet timeline VEHICLE`.
struct FleetTimelineCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Print the timeline of a vehicle: stops, trips and gaps without a position.",
        discussion: """
            Asks the recorders of the fleet, which answer with history.answer. If none answers, it asks the vehicle \
            itself, which must be online. Without options it prints the timeline of today. TIME is ISO-8601, a date \
            (its beginning in the zone), a date and a time in the zone, or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "The name of the vehicle.")
    var vehicle: String

    @Option(help: ArgumentHelp("Only events that end after this time.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only events that begin before this time. Default: now.", valueName: "time"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The time zone, such as Europe/Madrid. Default: the zone of the vehicle's days, else of this machine.",
            valueName: "zone"))
    var timeZone: String?

    @Flag(help: "Print one JSON object per event.")
    var json = false

    func validate() throws {
        try FleetOptions.check(vehicle, what: "device")
        _ = try TimeOption.range(from: from, to: to, zone: try TimeOption.localZone(timeZone))
    }

    func run() async throws {
        let now = Timestamp.now
        let person = try fleet.settings().broker.username ?? "desk"
        try await fleet.using { desk in
            let zone = try await fleet.zone(of: vehicle, timeZone, using: desk)
            let range = try TimeOption.range(from: from, to: to, zone: zone)
            let end = range.to ?? now
            let start = range.from ?? min(now.startOfDay(in: zone), end.startOfDay(in: zone))
            guard start < end else {
                throw ValidationError("--from must be before --to, which is now if it is absent.")
            }
            let (events, source) = try await desk.timeline(of: vehicle, times: start..<end, person: person) { reason in
                Console.printMessage("\(reason); asking the vehicle\n")
            }
            if json { return try Console.printJSON(try TimelineFormatter.jsonLines(events)) }
            if events.isEmpty {
                let times = "from \(Self.text(start, zone)) to \(Self.text(end, zone))"
                Console.printMessage("there are no events \(times); give another time with --from and --to\n")
            } else {
                try TimelineCommand.show(events, zone: zone, now: now)
            }
            let times = "times of the zone \(zone.identifier)"
            switch source {
            case .recorder(let recorder): Console.printMessage("from the recorder \(recorder.printable), \(times)\n")
            case .vehicle: Console.printMessage("from the vehicle, because no recorder answered; \(times)\n")
            }
        }
    }

    private static func text(_ time: Timestamp, _ zone: ZoneRules) -> String {
        let local = zone.localTime(at: time)
        return "\(local.date.text) \(local.timeText)"
    }
}
