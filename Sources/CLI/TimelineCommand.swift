import ArgumentParser
import OdographCivilTime
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph timeline`: prints the timeline.
struct TimelineCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Print the timeline of the vehicle: stops, trips and gaps without a position.",
        discussion: """
            Queries the running agent. If no agent runs, the command reads the database. Without options it prints \
            the timeline of today. TIME is ISO-8601, a date, a date and a time in the zone, or an age: 90s, 15m, 2h, \
            3d. If a local time occurs twice, TIME is the first one.
            """)

    @OptionGroup var options: AgentOptions

    @Option(help: ArgumentHelp("Only events that end after this time.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only events that begin before this time.", valueName: "time"))
    var to: String?

    @Option(help: ArgumentHelp("Only events revised after this time, ordered by revision.", valueName: "time"))
    var after: String?

    @Option(
        help: ArgumentHelp(
            "The time zone, such as Europe/Madrid. Default: the zone of this machine.", valueName: "zone"))
    var timeZone: String?

    func validate() throws {
        if after != nil, from != nil || to != nil {
            throw ValidationError(
                "--after selects revisions, --from and --to select a time; give either --after or the other two.")
        }
        let zone = try TimeOption.localZone(timeZone)
        _ = try TimeOption.time(after, zone: zone)
        _ = try TimeOption.range(from: from, to: to, zone: zone)
    }

    func run() async throws {
        let zone = try TimeOption.localZone(timeZone)
        let now = Timestamp.now
        let agent = try options.agent()
        let range = try TimeOption.range(from: from, to: to, zone: zone)
        let events =
            if let after = try TimeOption.time(after, zone: zone) {
                try await agent.timelineUpdates(after: after)
            } else {
                try await agent.timelineEvents(
                    from: range.from ?? (to == nil ? now.startOfDay(in: zone) : nil), to: range.to)
            }
        if options.json {
            try Console.printJSON(try TimelineFormatter.jsonLines(events))
        } else if events.isEmpty {
            Console.printMessage(
                after == nil
                    ? "there are no events in this time; give another time with --from and --to\n"
                    : "no event was revised after that time\n")
        } else {
            try Self.show(events, zone: zone, now: now)
        }
    }

    /// Prints a bar for each day and a table.
    static func show(_ events: [TimelineEventRevision], zone: ZoneRules, now: Timestamp) throws {
        let width = Console.terminalSize?.columns
        // 85 columns give three characters per hour.
        let bar = TextDayChart(zone: zone, columns: width ?? 85, isColored: Console.isOutputColored)
        var text = bar.text(events, now: now)
        text.append("\n" + TimelineFormatter.table(events, zone: zone, now: now, width: width))
        try Console.print(text)
    }
}
