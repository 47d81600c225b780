import OdographCivilTime
import FoundationEssentials
import Glibc
import OdographGeodesy
import OdographTracking

/// Measures the geofences, the timeline, the movement and the odometer on the corpora, by the timestamps of the events.
/// `--geofences` measures only the geofences, `--sensitivity` varies each parameter, `--perturbed` uses worse receivers
/// on the same drives. `--floors` measures a short form in under a minute, and exits with 1 if a figure has become
/// worse than what was reached. `--only=` measures one part: `invariants`, `outliers`, `noise`, `straight`, `queues`,
/// `halts` (jams, yards, short stops), `driving` (harsh manoeuvres), `faults` (receivers with one fault; `--days=` of
/// each, `--row=` for a single fault), `captures` (faults of timelines that need no truth, of all recordings or of the
/// folder `--captures=`), `copies` (moved and mirrored drives), `thinned` (drives with fewer fixes), `sparse` (a fix a
/// minute in a town), `phones`, `days`, `rounds` (labelled drives), `confidence` (on drives that were held out),
/// `heldout` (parameters chosen on the other drives), `speed`. With `--seed=` the scenes of `halts` and `faults` have
/// the seeds after it.
@main
enum Evaluation {
    static func main() throws {
        let folder = CommandLine.arguments.dropFirst().first { !$0.hasPrefix("-") } ?? defaultCorpora
        let isVerbose = CommandLine.arguments.contains("--events")
        let drives = folder + "/drives/"
        if CommandLine.arguments.contains("--sensitivity") { return try Sensitivity(folder: drives).report() }
        if CommandLine.arguments.contains("--perturbed") {
            return try Perturbations(folder: drives, isVerbose: isVerbose).report()
        }
        if CommandLine.arguments.contains("--floors") {
            let broken = try Floors.report(folder: folder)
            guard broken == 0 else {
                print("\(broken) figures are worse than their limits")
                exit(1)
            }
            return
        }
        row("what", "ours", naive: "naive", bar: "bar")
        // A part reads its recordings only if it is measured.
        let parts: [(String, () throws -> Void)] = [
            ("invariants", { try Invariants(folder: drives, isVerbose: isVerbose).report() }),
            ("outliers", { OutlierFixes().report() }),
            ("noise", { WhiteNoise().report() }),
            ("straight", { try StraightRoads(folder: drives).report() }),
            ("queues", { CreepingQueues().report() }),
            ("halts", { Halts(isVerbose: isVerbose, seed: number(of: "seed") ?? 0).report() }),
            ("driving", { try DrivingStyle(folder: drives, isVerbose: isVerbose).report() }),
        ]
        let slow: [(String, () throws -> Void)] = [
            (
                "copies",
                {
                    let drives = try AllDrives(folder: folder)
                    Copies(drives: drives.recorded + drives.simulated, isVerbose: isVerbose).report()
                }
            ),
            ("thinned", { try Thinning(drives: AllDrives(folder: folder), isVerbose: isVerbose).report() }),
            ("phones", { try PhoneDrives(folder: drives, isVerbose: isVerbose).report() }),
            ("days", { try LabelledDays(folder: drives, isVerbose: isVerbose).report() }),
            ("sparse", { SparseFixes(phones: try PhoneDrives(folder: drives, isVerbose: isVerbose)).report() }),
            ("rounds", { try DeliveryRounds(folder: drives, isVerbose: isVerbose).report() }),
            (
                "faults",
                {
                    FaultyReceivers(days: number(of: "days") ?? 20, after: number(of: "seed") ?? 0)
                        .report(only: option("row"))
                }
            ),
            (
                "captures",
                {
                    try RecordedTimelines(folder: folder, captures: option("captures"), isVerbose: isVerbose).report()
                }
            ),
            ("speed", { try Speed(folder: drives).report() }),
            ("heldout", { try HeldOut(folder: drives).report() }),
            ("confidence", { try ConfidenceValidation(folder: drives).report() }),
        ]
        if let only = CommandLine.arguments.first(where: { $0.hasPrefix("--only=") }) {
            for part in parts + slow where "--only=" + part.0 == only { try part.1() }
            return
        }
        try Places(folder: drives, isVerbose: isVerbose).report()
        try ParkedVehicle().report()
        if CommandLine.arguments.contains("--geofences") { return }
        StayingReceiver().report()
        VehicleDays().report()
        try PhoneDrives(folder: drives, isVerbose: isVerbose).report()
        try LabelledDays(folder: drives, isVerbose: isVerbose).report()
        try DeliveryRounds(folder: drives, isVerbose: isVerbose).report()
        try Distances(folder: drives).report()
        SimulatedDistances().report()
        for part in parts { try part.1() }
        if !CommandLine.arguments.contains("--no-speed") { try Speed(folder: drives).report() }
    }

    /// Returns the value of an option; nil without it.
    private static func option(_ name: String) -> String? {
        CommandLine.arguments.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }

    private static func number(of name: String) -> UInt64? { option(name).flatMap { UInt64($0) } }

    /// The corpora's folder beside the project, as in the tests.
    private static var defaultCorpora: String {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(5)
        return parts.joined(separator: "/") + "/../shared/corpora"
    }
}
