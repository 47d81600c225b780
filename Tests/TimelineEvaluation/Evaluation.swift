import ArgumentParser
import FoundationEssentials
import OdographHarness

/// Measures the geofences, the timeline, the movement and the odometer on the corpora, by the timestamps of the events.
@main
struct Evaluation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "TimelineEvaluation",
        abstract: "Measure the timeline and the odometer on recorded and simulated drives.",
        discussion: "Without an option, what takes a few minutes is measured. The parts of --only:\n\n"
            + EvaluationPart.allCases.map { "  \($0.rawValue): \($0.words)" }.joined(separator: "\n"))

    @Argument(help: "The folder of the corpora.")
    var folder = Evaluation.defaultFolder

    @Flag(help: "Measure a short form in under a minute. The exit code is 1 if a figure is worse than its limit.")
    var floors = false

    @Flag(help: "Vary each parameter.")
    var sensitivity = false

    @Flag(help: "Use worse receivers on the same drives.")
    var perturbed = false

    @Flag(help: "Measure only the geofences and parked vehicles.")
    var geofences = false

    @Flag(name: .customLong("no-speed"), help: "Do not measure how fast the tracker is.")
    var isWithoutSpeed = false

    @Flag(name: .customLong("events"), help: "Print also the events that are wrong.")
    var isVerbose = false

    @Option(help: ArgumentHelp("Measure one part.", valueName: "part"))
    var only: EvaluationPart?

    @Option(help: ArgumentHelp("The scenes of halts and faults have the seeds after it.", valueName: "number"))
    var seed: UInt64 = 0

    @Option(help: ArgumentHelp("The days of each row of faults.", valueName: "number"))
    var days: UInt64 = 20

    @Option(name: .customLong("row"), help: ArgumentHelp("The only row of faults.", valueName: "name"))
    var fault: String?

    @Option(help: ArgumentHelp("Recordings for captures, instead of all; drives for scenes.", valueName: "folder"))
    var captures: String?

    /// The folder of the recorded drives.
    var drives: String { folder + "/drives/" }

    func validate() throws {
        for folder in [drives, captures].compactMap({ $0 }) where !FileManager.default.fileExists(atPath: folder) {
            throw ValidationError("there is no folder \(folder)")
        }
        let rows = FaultyReceivers.rows.map(\.name)
        if let fault, !rows.contains(fault) {
            throw ValidationError("the rows of faults are " + rows.joined(separator: "; "))
        }
        if only == .scenes, captures == nil { throw ValidationError("scenes needs --captures") }
        if days == 0 { throw ValidationError("--days must be at least 1") }
    }

    func run() throws {
        if sensitivity { return try Sensitivity(folder: drives).report() }
        if perturbed { return try Perturbations(folder: drives, isVerbose: isVerbose).report() }
        if floors {
            let broken = try Floors.report(folder: folder)
            guard broken == 0 else {
                print("\(broken) figures are worse than their limits")
                throw ExitCode.failure
            }
            return
        }
        row("what", "ours", naive: "naive", bar: "bar")
        if let only { return try only.report(self) }
        try Places(folder: drives, isVerbose: isVerbose).report()
        try ParkedVehicle().report()
        if geofences { return }
        StayingReceiver().report()
        VehicleDays().report()
        try EvaluationPart.phones.report(self)
        try EvaluationPart.days.report(self)
        try EvaluationPart.rounds.report(self)
        try Distances(folder: drives).report()
        SimulatedDistances().report()
        for part in [.invariants, .outliers, .noise, .straight, .queues, .halts, .driving] as [EvaluationPart] {
            try part.report(self)
        }
        if !isWithoutSpeed { try EvaluationPart.speed.report(self) }
    }

    /// The corpora's folder beside the project, as in the tests.
    private static var defaultFolder: String { Corpora.projectRoot + "/../shared/corpora" }
}
