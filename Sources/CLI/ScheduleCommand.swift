import ArgumentParser
import OdographCivilTime
import Odograph
import OdographConsole
import OdographOperator

/// `odograph schedule EXPRESSION…`.
struct ScheduleCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Explain a tracking schedule.",
        discussion: "Needs no agent and no broker. For scripts, the JSON has the keys within and next_change.")

    @Argument(
        help: ArgumentHelp(
            "Five crontab fields in quotes: minute, hour, day of month, month, weekday. With several expressions, the "
                + "schedule is open while one of them matches.", valueName: "expression"))
    var expressions: [String]

    @Option(
        help: ArgumentHelp(
            "The time zone of the schedule, such as Europe/Madrid. Default: the zone of this machine."))
    var timeZone: String?

    @Option(
        help: ArgumentHelp(
            "The time: 2026-11-21T09:15 or 2026-11-21 in that zone, 2026-11-21T09:15Z, or 3d for three days ago. "
                + "Default: now.",
            valueName: "time"))
    var at: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let answer = try ScheduleExplanation(
            expressions: expressions, timeZone: timeZone, at: at, now: .now)
        if json { return try Console.printJSON(try answer.json()) }
        try Console.print(answer.text(width: Console.terminalSize?.columns))
    }
}
