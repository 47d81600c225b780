import ArgumentParser
import OdographTerminal

/// The options and the output of a doctor.
package struct DoctorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The time limit for each other program, 1 to 600.", valueName: "seconds"))
    package var wait = 5.0

    @Flag(help: "Print one JSON object per finding.")
    package var json = false

    package init() {}

    package func validate() throws {
        guard (1...600).contains(wait) else {
            throw ValidationError("--wait is \(wait); give a number of seconds from 1 to 600.")
        }
    }

    /// Runs checks, and prints each finding as soon as it is known, or all of them as JSON.
    /// - Parameter runChecks: Runs the checks and reports each finding.
    /// - Throws: `ExitCode` 1 if a check fails; errors of the output.
    package func show(_ runChecks: ((Finding) throws -> Void) async throws -> [Finding]) async throws {
        let isColored = Console.isOutputColored
        let findings = try await runChecks { finding in
            if json {
                try Console.printJSON(try finding.json())
            } else {
                try Console.print(Self.line(finding, isColored: isColored))
            }
        }
        if findings.hasFailures { throw ExitCode(ExitError.Code.problems.rawValue) }
    }

    private static func line(_ finding: Finding, isColored: Bool) -> TerminalText {
        guard isColored else { return TerminalText(finding.line + "\n") }
        let color: TerminalSequence =
            switch finding.level {
            case .ok: .green
            case .warn: .yellow
            case .fail: .red
            }
        let level = finding.level.rawValue
        var text = TerminalText()
        text.append(color)
        text.append(level)
        text.append(.reset)
        text.append(finding.line.dropFirst(level.count) + "\n")
        return text
    }
}
