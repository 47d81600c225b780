import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph locations`: prints recorded locations.
struct LocationsCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "locations",
        abstract: "Print the locations in the agent's database, newest last.",
        discussion: """
            The agent deletes a location soon after the broker has acknowledged it. The history is on the broker's \
            side. TIME is ISO-8601, a date, a date and a time (UTC), or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var options: AgentOptions

    @Option(help: ArgumentHelp("Only locations at this time or later.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only locations before this time.", valueName: "time"))
    var to: String?

    @Option(help: ArgumentHelp("The maximum number of locations, 1 to 10000; the newest ones.", valueName: "count"))
    var limit = 100

    func validate() throws {
        _ = try TimeOption.range(from: from, to: to)
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit); give a number from 1 to 10000.")
        }
    }

    func run() async throws {
        let range = try TimeOption.range(from: from, to: to)
        let locations = try await options.agent().locations(from: range.from, to: range.to, limit: limit)
        if options.json {
            try Console.printJSON(try LocationFormatter.jsonLines(locations))
        } else if locations.isEmpty {
            Console.printMessage("the database contains no locations of this time\n")
        } else {
            try Console.print(LocationFormatter.table(locations, width: Console.terminalSize?.columns))
        }
    }
}
