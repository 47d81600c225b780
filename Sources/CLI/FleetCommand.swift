import ArgumentParser
import CivilTime
import Odograph
import Positioning
import Wire

/// `odograph fleet`: for the operator's desk.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Configure, ask and watch the vehicles of a fleet through its broker.",
        subcommands: [FleetConfig.self, FleetGeofences.self, FleetStatus.self, FleetAsk.self])
}

/// `odograph fleet config`.
struct FleetConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Publish a configuration, or show what is in force.",
        subcommands: [FleetConfigSet.self, FleetConfigShow.self])
}

/// `odograph fleet config set FILE`.
struct FleetConfigSet: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Check a document, publish it, and wait for the vehicles' reports.",
        discussion: "The exit code is 1 where a vehicle refuses it, 69 where one has not reported in time.")

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(help: ArgumentHelp("The JSON5 document; an empty file withdraws the level."), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("How long to wait for the reports.", valueName: "seconds"))
    var timeout = 30.0

    func perform() async throws {
        let document = try FleetDocument.read(file)
        let desk = try await fleet.connect()
        let known = target.device.map { [$0] }
        let hash = try await desk.publishConfiguration(
            document, to: target.level, device: target.device ?? "any", origin: file)
        let name = target.levelName
        let isGroup = target.group != nil
        let (outcome, isComplete) = await desk.progress(
            of: document.isEmpty ? nil : hash, level: name, vehicles: known, mayBeStrangers: isGroup, seconds: timeout
        ) { Console.note("\r\($0)") }
        Console.note("\n")
        await desk.close()
        try Console.print(outcome.text)
        if outcome.isRefused { throw ExitCode(1) }
        if !isComplete { throw Failure(.unavailable, "not all vehicles have reported within \(Int(timeout)) s") }
    }
}

/// `odograph fleet config show`.
struct FleetConfigShow: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print what is in force in a vehicle, and what it refused.")

    @OptionGroup var fleet: FleetOptions

    @Option(help: "The vehicle.")
    var device: String

    func perform() async throws {
        let desk = try await fleet.connect()
        let name = device
        _ = await desk.wait(seconds: 5) { $0.vehicles[name]?.report != nil }
        let vehicle = await desk.vehicles[device]
        await desk.close()
        guard let vehicle, vehicle.report != nil else { throw Failure(.unavailable, "\(device) has never reported") }
        try Console.print(try vehicle.configurationText(name: device))
    }
}

/// `odograph fleet status`.
struct FleetStatus: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print who is online, what is in force, who is behind and who is silent.")

    @OptionGroup var fleet: FleetOptions

    @Option(help: ArgumentHelp("How long the broker's messages are waited for.", valueName: "seconds"))
    var wait = 2.0

    func perform() async throws {
        let desk = try await fleet.connect()
        _ = await desk.wait(seconds: wait) { _ in false }
        let vehicles = await desk.vehicles
        await desk.close()
        let now = SystemAgentClock().now().systemTime
        let rows = vehicles.sorted { $0.key < $1.key }.map { $0.value.cells(name: $0.key, now: now) }
        try Console.print(FleetDesk.table([FleetDesk.columns] + rows))
    }
}

/// `odograph fleet command ACTION`.
struct FleetAsk: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Give a vehicle a command, and print its answer as JSON.")

    @OptionGroup var fleet: FleetOptions

    @Option(help: "The vehicle.")
    var device: String

    @Argument(help: "What is to be done, such as get_status.")
    var action: String

    @Argument(help: "The action's own keys, as JSON5: \"{ value: 0 }\".")
    var parameters = "{}"

    @Option(help: ArgumentHelp("How long to wait for the answer; it is not done later.", valueName: "seconds"))
    var timeout = 30.0

    func perform() async throws {
        let members = try FleetDocument.members(of: parameters)
        let desk = try await fleet.connect()
        let answer = try await desk.command(
            action, parameters: members, device: device, timeoutSeconds: timeout)
        await desk.close()
        try Console.print(try FleetDocument.text(of: answer))
        if !answer.isDone { throw ExitCode(1) }
    }
}
