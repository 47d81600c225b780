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
            On a terminal the command updates the table until q or Ctrl-C. The arrow keys, Page Up and Page Down \
            scroll; / begins a filter, which Return keeps and Escape removes. Otherwise, and with TERM=dumb or without \
            TERM, it prints the table once. \
            Vehicles that need attention come first: vehicles that reject a document, have a problem or a certificate \
            that ends within 45 days, have an old document, or are offline. If the broker gives no retained messages \
            to this command, it asks all online vehicles to publish their state, which takes up to ten seconds. The \
            exit code is 69 if the fleet has no known vehicle.
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(help: ArgumentHelp("Only these vehicles; the option can be repeated.", valueName: "name"))
    var device: [String] = []

    @Option(help: ArgumentHelp("Only the vehicles of a group.", valueName: "name"))
    var group: String?

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
        for name in device { try FleetOptions.check(name, what: "device") }
        try FleetOptions.check(group, what: "group")
    }

    func run() async throws {
        let desk = try await fleet.connect(isWatching: true)
        // A broker may give no retained messages to a subscription with a wildcard. Without the permission to ask, the
        // command shows what arrives.
        async let hasAsked = (try? await desk.callRollIfNeeded()) ?? false
        if Console.isOutputScreen, !once, !json {
            await Interrupt.cancelling { [self] in await watch(desk) }
            // The last table stays visible on the normal screen.
            return try await end(desk, Self.text)
        }
        // Retained messages arrive soon after the subscription. Their end is not announced, so the wait is fixed.
        let seconds = await hasAsked ? max(wait, FleetClient.rollCallSeconds) : wait
        _ = await desk.wait(seconds: seconds) { _ in false }
        if json { return try await end(desk) { try Console.printJSON(try $0.json()) } }
        try await end(desk, Self.text)
    }

    private func table(of desk: FleetClient) async -> FleetTable {
        await desk.table.filtered(group: group, devices: device)
    }

    /// Disconnects and prints the table.
    /// - Throws: `ExitError` if no vehicle is known, or none of the chosen ones.
    private func end(_ desk: FleetClient, _ show: (FleetTable) throws -> Void) async throws {
        let table = await table(of: desk)
        do {
            if table.rows.isEmpty || device.contains(where: { name in !table.rows.contains { $0.name == name } }) {
                if group == nil, device.isEmpty { throw await desk.unknownFleet() }
                for name in device { try await desk.requireRecipient(of: .device, device: name) }
                if let group { try await desk.requireRecipient(of: .group(group), device: nil) }
                if table.rows.isEmpty {
                    throw ExitError(.unavailable, "no vehicle has both the group and a name of --device")
                }
            }
        } catch {
            await desk.disconnect()
            throw error
        }
        await desk.disconnect()
        try show(table)
    }

    private static func text(of table: FleetTable) throws {
        let width = Console.terminalSize?.columns
        let notes = (table.errorLines() + [table.summary]).flatMap { Format.wrapped($0, width: width, indentation: 2) }
        try Console.print((table.lines(width: width, now: .now) + notes).map { $0 + "\n" }.joined())
    }

    /// Draws the table until the task is cancelled or the person quits: every second to update ages, and sooner after a
    /// change, a key, or a new size of the terminal.
    private func watch(_ desk: FleetClient) async {
        let terminal = LiveTerminal()
        defer { terminal.close() }
        let title = "\(desk.root)/\(desk.fleet)"
        var screen = FleetScreen()
        var drawn: (size: FleetScreen.Size, changes: Int, at: ContinuousClock.Instant)?
        while !Task.isCancelled {
            var mustDraw = terminal.handleSignals()
            for key in terminal.keys() {
                guard screen.handle(key) else { return }
                mustDraw = true
            }
            let size = Console.terminalSize ?? (80, 24)
            let changes = await desk.changeCount
            if let drawn {
                let age = drawn.at.duration(to: .now)
                // At most five times a second, which is as often as a person can read.
                let hasNews = changes != drawn.changes && age >= .milliseconds(200)
                mustDraw = mustDraw || size != drawn.size || hasNews || age >= .seconds(1)
            } else {
                mustDraw = true
            }
            if mustDraw {
                let (table, isConnected) = (await table(of: desk), await desk.isConnected)
                terminal.draw(
                    screen.lines(table, title: title, isConnected: isConnected, size: size, now: .now))
                drawn = (size, changes, .now)
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
