import CivilTime
import FoundationEssentials
import Geodesy
import Tracking

/// Measures the geofences, the timeline, the movement and the odometer on the corpora, from the events' own timestamps.
/// With `--geofences` the first alone; with `--sensitivity` how the scores move with each figure, with `--perturbed` how
/// they fare on the same drives from worse receivers.
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
        row("what", "ours", naive: "naive", bar: "bar")
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
        if !CommandLine.arguments.contains("--no-speed") { try Speed(folder: drives).report() }
    }

    /// Beside the project, as the tests find it.
    private static var defaultCorpora: String {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(5)
        return parts.joined(separator: "/") + "/../shared/corpora"
    }
}
