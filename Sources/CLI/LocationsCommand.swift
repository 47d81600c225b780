import ArgumentParser
import Odograph
import OdographOperator

/// `odograph locations`: prints recorded locations.
struct LocationsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "locations",
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
        _ = try TimeOption.range(from: from, to: to)
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit); write a number from 1 to 10000.")
        }
    }

    func perform() async throws {
        let range = try TimeOption.range(from: from, to: to)
        let locations = try await options.agent().locations(from: range.from, to: range.to, limit: limit)
        if options.json {
            try Console.print(try LocationFormatter.jsonLines(locations))
        } else if locations.isEmpty {
            Console.printMessage("no locations of this time are in the database\n")
        } else {
            try Console.print(LocationFormatter.table(locations))
        }
    }
}
