import ArgumentParser
import Logging
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph replay`: runs the agent with a capture in place of its receiver.
struct ReplayCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run the agent on a capture, and end when all records are delivered.",
        discussion: """
            FILE is a capture of gpsd's JSON (gpspipe -w) or a GPX file. The agent publishes the records to the \
            configured broker and marks them as mock. The replay uses a separate database beside the configured one, \
            so the odometer of the vehicle does not change. An interrupted replay continues at the next run. Give a \
            configuration with a device of its own: the agent of a vehicle takes a replay under its name for a copy of \
            its disk, reports store_inconsistent and begins a new epoch.
            """)

    @Argument(help: ArgumentHelp("The capture; - is the standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("The speed factor, 0.01 to 100000, or max for as fast as possible.", valueName: "factor"))
    var speed = ReplaySpeed(factor: 1)

    @Option(
        help: ArgumentHelp("A log of the vehicle's bus (candump -l) from the same drive.", valueName: "file"),
        completion: .file())
    var vehicleLog: String?

    @OptionGroup var configurationFile: ConfigurationOption

    func run() async throws {
        let plan = try ReplayPlan(
            file: file, vehicleLog: vehicleLog, speedFactor: speed.factor, configuration: try configurationFile.load())
        let logger = ConsoleLogHandler.bootstrap(
            level: plan.configuration.logLevel, clearsProgressLine: Console.isErrorTerminal)
        let agent = Agent(configuration: plan.configuration, stopsAtEnd: true, logger: logger)
        let progress = Task { [configuration = plan.configuration] in await Self.showProgress(of: configuration) }
        defer { progress.cancel() }
        try await AgentRunner.run { try await agent.run(until: $0) }
        if let problem = await agent.currentProblems.first(where: { $0.code == .sourceFailed }) {
            throw ExitError(.dataError, problem.text)
        }
        // The database of an interrupted replay is kept. The next replay continues from it.
        if await agent.hasDelivered { plan.removeStore() }
    }

    private static func showProgress(of configuration: AgentConfiguration) async {
        var progress = ProgressLine(isShown: Console.isErrorTerminal)
        guard progress.isShown else { return }
        let agent = LocalAgent(configuration: nil, socketPath: configuration.controlPath)
        while !Task.isCancelled {
            if let status = try? await agent.status(), case .running(let running, _) = status {
                progress.update { _ in running.progressText }
            }
            try? await Task.sleep(for: .milliseconds(300))
        }
        progress.clear()
    }
}

/// A speed factor, or `max`.
struct ReplaySpeed: ExpressibleByArgument, CustomStringConvertible {
    /// The factor; nil: as fast as possible.
    var factor: Double?

    init(factor: Double?) {
        self.factor = factor
    }

    init?(argument: String) {
        if argument == "max" {
            factor = nil
        } else if let number = Double(argument), (0.01...100_000).contains(number) {
            factor = number
        } else {
            return nil
        }
    }

    var description: String { factor.map { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" } ?? "max" }
    var defaultValueDescription: String { description }
}
