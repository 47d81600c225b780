import ArgumentParser
import OdographCivilTime
import Odograph
import OdographConsole
import OdographOperator

/// `odograph fleet status`.
struct FleetStatusCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the status and the configuration of each vehicle of a fleet.",
        discussion: """
            On a terminal the command updates the table until Ctrl-C. Otherwise it prints the table once. Vehicles \
            that need attention come first: vehicles that reject a document, have a problem, have an old document, or \
            are offline. If the broker gives no retained messages to this command, it asks all online vehicles to \
            publish their state, which takes up to ten seconds. The exit code is 69 if the fleet has no known vehicle.
            """)

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "Print the table once, also on a terminal.")
    var once = false

    @Flag(help: "Print one JSON object per vehicle, once.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The time to wait for the broker's retained messages, if the table is printed once.", valueName: "seconds"))
    var wait = 2.0

    func validate() throws {
        guard (0...3600).contains(wait) else { throw ValidationError("--wait must be from 0 to 3600 seconds.") }
    }

    func run() async throws {
        let desk = try await fleet.connect(isWatching: true)
        // A broker may give no retained messages to a subscription with a wildcard. Without the permission to ask, the
        // command shows what arrives.
        async let hasAsked = (try? await desk.callRollIfNeeded()) ?? false
        if Console.isOutputTerminal, !once, !json {
            let title = "\(fleet.root)/\(fleet.fleet)"
            await Interrupt.cancelling { await Self.watch(desk, title: title) }
            // The last table stays visible on the normal screen.
            return try await Self.end(desk, Self.text)
        }
        // Retained messages arrive soon after the subscription. Their end is not announced, so the wait is fixed.
        let seconds = await hasAsked ? max(wait, FleetClient.rollCallSeconds) : wait
        _ = await desk.wait(seconds: seconds) { _ in false }
        try await Self.end(desk) { json ? try $0.json() : Self.text(of: $0) }
    }

    /// Disconnects and prints the table.
    /// - Throws: ``ExitError`` if no vehicle is known.
    private static func end(_ desk: FleetClient, _ text: (FleetTable) throws -> String) async throws {
        let table = await desk.table
        let error = table.rows.isEmpty ? await desk.unknownFleet() : nil
        await desk.disconnect()
        if let error { throw error }
        try Console.print(try text(table))
    }

    private static func text(of table: FleetTable) -> String {
        let width = Console.terminalSize?.columns
        return (table.lines(width: width, now: .now) + table.errorLines() + [table.summary]).map { $0 + "\n" }.joined()
    }

    /// Draws the table until the task is cancelled: every second to update ages, and sooner after a change.
    private static func watch(_ desk: FleetClient, title: String) async {
        let screen = AlternateScreen()
        defer { screen.close() }
        while !Task.isCancelled {
            let news = await desk.changeCount
            let (table, isConnected) = (await desk.table, await desk.isConnected)
            let (columns, rows) = Console.terminalSize ?? (80, 24)
            let state = isConnected ? "" : "   no connection to the broker, retrying"
            let heading = "\(title)  \(table.summary)\(state)"
            var lines = [heading.count <= columns ? heading : heading.prefix(columns - 1) + "…", ""]
            // The errors get at most a third of the screen.
            let errors = table.errorLines(limit: max(rows / 3, 1), width: columns)
            lines += table.lines(width: columns, height: max(rows - 2 - errors.count, 3), now: .now) + errors
            screen.draw(lines)
            // At most five times a second, which is as often as a person can read.
            try? await Task.sleep(for: .milliseconds(200))
            _ = await desk.wait(seconds: 0.8) { $0.changeCount != news }
        }
    }
}
