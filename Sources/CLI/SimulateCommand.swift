import ArgumentParser
import Odograph
import OdographCivilTime
import OdographConsole
import OdographOperator
import OdographPositioning

/// `odograph simulate`: prints a simulated drive as a capture.
struct SimulateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Print a simulated drive as a capture of gpsd, and write a log of the vehicle's bus.",
        discussion: """
            The drive is a delivery round with halts, a motorway and a tunnel. The capture has a position each second. \
            The log is that of "candump -l" on a bus with the groups of the FMS standard, ten speeds a second, and \
            none while the vehicle is switched off. "odograph replay" and "odograph analyze" read both \
            (--vehicle-log). The same options always give the same bytes.
            """)

    @Option(
        help: ArgumentHelp("Write the log of the vehicle's bus to this file, which is replaced.", valueName: "file"),
        completion: .file())
    var vehicleLog: String?

    @Option(help: ArgumentHelp("Any whole number from 0. Each seed gives one route.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("The length of the drive, 1 to 31536000.", valueName: "seconds"))
    var duration = 3600

    @Option(help: ArgumentHelp("The time of the first position.", valueName: "time"))
    var from = "2026-01-05T08:00:00Z"

    @Option(
        help: ArgumentHelp(
            "The ratio of the vehicle's counter and wheel speed to the truth, 0.5 to 2.", valueName: "factor"))
    var counterScale = 1.0

    func validate() throws {
        guard (1...31_536_000).contains(duration) else { throw ValidationError("--duration must be 1 to 31536000.") }
        guard (0.5...2).contains(counterScale) else { throw ValidationError("--counter-scale must be 0.5 to 2.") }
        _ = try TimeOption.time(from)
    }

    func run() async throws {
        var settings = SimulatorSettings(seed: seed, start: SimulatorSettings.usualStart)
        settings.durationSeconds = Double(duration)
        var drive = DriveRecording(
            settings, startTime: try TimeOption.time(from) ?? .now, counterScale: counterScale)
        var log: OutputBuffer?
        if let vehicleLog { log = try OutputBuffer.replacing(vehicleLog) }
        var output = OutputBuffer(.json)
        while let (capture, vehicle) = try drive.next() {
            try output.append(Array(capture.utf8))
            try log?.append(Array(vehicle.utf8))
        }
        try log?.flush()
        try output.flush()
    }
}
