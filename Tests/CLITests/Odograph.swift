import Glibc
import OdographHarness

/// The built command, as its users run it.
enum Odograph {
    /// The result of a run.
    struct Outcome {
        var code: Int32
        var output: String
        var errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// The path of the executable that was built together with the tests.
    static let executable = BuiltProgram.path("odograph")

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], seconds: Double = 300
    ) async throws -> Outcome {
        let ran = try await ChildProcess.run(
            executable, arguments, environment: environment, seconds: seconds)
        guard case .exited(let code) = ran.ending else {
            throw HarnessError("odograph \(arguments) ended with \(ran.ending): \(ran.errors)")
        }
        return Outcome(code: code, output: ran.output, errors: ran.errors)
    }

    /// Starts a command that keeps running.
    static func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(executable, arguments)
    }

    /// Returns a drive to the north at 10 m/s as gpsd reports, with one position a second.
    static func drive(seconds: Int) -> String {
        (0..<seconds).map { second in
            let minutes = String(second / 60 % 60 + 100).dropFirst()
            let rest = String(second % 60 + 100).dropFirst()
            let time = "2026-11-21T\(String(second / 3600 % 24 + 100).dropFirst()):\(minutes):\(rest).000Z"
            let latitude = 40 + Double(second * 10) / 111_000
            return """
                {"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"\(time)","lat":\(latitude),"lon":-3.7,"eph":4.0,\
                "speed":10.0,"track":0.0}

                """
        }.joined()
    }
}
