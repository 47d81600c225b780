import ArgumentParser
import CivilTime
import Odograph
import OdographOperator

/// `odograph schedule EXPR`.
struct ScheduleCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Say what a tracking schedule means.",
        discussion: "Needs neither an agent nor a broker. JSON has within and next_change, for scripts.")

    @Argument(
        help: ArgumentHelp(
            "Five crontab fields: minute, hour, day of month, month, weekday.", valueName: "expression"))
    var expression: String

    @Option(help: ArgumentHelp("Whose wall clock it is on, such as Europe/Madrid. Default: this machine's."))
    var timeZone: String?

    @Option(
        help: ArgumentHelp(
            "When, such as 2026-11-21T09:15 on that wall clock, 2026-11-21T09:15Z, or 3d. Default: now.",
            valueName: "time"))
    var at: String?

    @Flag(help: "Print JSON.")
    var json = false

    func perform() async throws {
        let answer = try ScheduleExplanation(
            expression: expression, timeZone: timeZone, at: at, now: .now)
        try Console.print(json ? try answer.json() : answer.text)
    }
}
