import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// The options that select the level of a document: exactly one of the three.
struct FleetTarget: ParsableArguments {
    @Option(help: "One vehicle.")
    var device: String?

    @Option(help: "All vehicles of a group.")
    var group: String?

    @Flag(help: "All vehicles of the fleet.")
    var all = false

    func validate() throws {
        guard [device != nil, group != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("Give exactly one of --device NAME, --group NAME and --all.")
        }
        try FleetOptions.check(device, what: "device")
        try FleetOptions.check(group, what: "group")
    }

    var level: DownlinkLevel {
        if device != nil { return .device }
        return group.map { .group($0) } ?? .all
    }

    /// Waits for the reports of the vehicles of a level and prints them. On a terminal it shows the progress.
    /// - Throws: an exit code if a vehicle refuses the document; ``ExitError`` if one has not reported in time.
    func awaitRollout(
        of hash: String?, subject: RolloutProgress.DocumentKind, using desk: FleetClient, seconds: Double
    ) async throws -> RolloutProgress {
        let (level, device) = (level, device)
        let (outcome, isComplete) = await Interrupt.cancelling {
            await desk.awaitRollout(of: hash, subject: subject, level: level, device: device, seconds: seconds) {
                if Console.isErrorTerminal { ProgressLine.draw($0.summary) }
            }
        }
        if Console.isErrorTerminal { ProgressLine.draw("") }
        await desk.disconnect()
        try Console.print(outcome.text)
        if outcome.hasRefusals { throw ExitCode(1) }
        if !isComplete {
            let note = hash == nil ? "" : "; the other vehicles receive it when they connect"
            throw ExitError(.unavailable, outcome.summary + note)
        }
        return outcome
    }
}
