import ArgumentParser
import CivilTime
import Odograph

/// `odograph locations`: what was recorded.
struct Locations: Subcommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the recorded locations that are still in the agent's database, newest last.",
        discussion: """
            What the broker has acknowledged is deleted before long: the broker's side keeps the history. \
            TIME is ISO-8601, a date, a date and a time (UTC), or how long ago: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var options: AgentOptions

    @Option(help: ArgumentHelp("None older than this.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("None newer than this.", valueName: "time"))
    var to: String?

    @Option(help: ArgumentHelp("At most so many, the newest, 1 to 10000.", valueName: "count"))
    var limit = 100

    func validate() throws {
        for text in [from, to] { _ = try Self.time(text) }
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit); write a number from 1 to 10000.")
        }
    }

    func perform() async throws {
        let locations = try await options.agent().locations(
            from: try Self.time(from), to: try Self.time(to), limit: limit)
        if options.json {
            try Console.print(try LocationsText.jsonLines(locations))
        } else if locations.isEmpty {
            Console.note("no locations of this time are in the database\n")
        } else {
            try Console.print(LocationsText.table(locations))
        }
    }

    private static func time(_ text: String?) throws -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(argument: text, now: .now) else {
            throw ValidationError(
                "\"\(text)\" is no time; write one like 2026-11-21T09:15:02Z, 2026-11-21, or 2h for two hours ago.")
        }
        return time
    }
}
