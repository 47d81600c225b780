import ArgumentParser
import CivilTime
import Odograph
import OdographOperator

/// `odograph timeline`: prints the timeline.
struct TimelineCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Print what the vehicle did and when: stood, drove, was off the grid.",
        discussion: """
            Asks the running agent; where none runs, its database. Without options it is the timeline of today. \
            TIME is ISO-8601, a date, a date and a time (of the zone; of an hour that comes twice the first), or how \
            long ago: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var options: AgentOptions

    @Option(help: ArgumentHelp("No event that ended by this time.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("No event that began at this time or later.", valueName: "time"))
    var to: String?

    @Option(help: ArgumentHelp("Only events that were revised later than this, in that order.", valueName: "time"))
    var after: String?

    @Option(help: ArgumentHelp("The zone of the times, as Europe/Madrid. Default: the machine's.", valueName: "zone"))
    var timeZone: String?

    func validate() throws {
        if after != nil, from != nil || to != nil {
            throw ValidationError("--after asks for revisions, --from and --to for a time; use one or the other.")
        }
        let zone = try zone()
        _ = try TimeOption.time(after, zone: zone)
        _ = try TimeOption.range(from: from, to: to, zone: zone)
    }

    func perform() async throws {
        let zone = try zone()
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
            try Console.print(try TimelineFormatter.jsonLines(events))
        } else if events.isEmpty {
            Console.printMessage(
                after == nil
                    ? "nothing is known of this time; name another with --from and --to\n"
                    : "no event was revised later than that\n")
        } else {
            let width = Console.terminalSize?.columns
            // 85 columns give three characters per hour.
            let bar = TextDayChart(zone: zone, columns: width ?? 85, isColored: Console.isOutputColored)
            var text = bar.text(events, now: now)
            text.append("\n" + TimelineFormatter.table(events, zone: zone, now: now, width: width))
            try Console.print(text)
        }
    }

    private func zone() throws -> ZoneRules {
        do {
            return try timeZone.map { name throws(ZoneError) in try ZoneDirectory.system.rules(named: name) }
                ?? ZoneDirectory.system.systemRules()
        } catch let error as ZoneError {
            throw ValidationError("\(error)")
        }
    }
}
