import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographTracking

/// Measures the geofences, the timeline, the movement and the odometer on the corpora, by the timestamps of the events.
/// `--geofences` measures only the geofences, `--sensitivity` varies each parameter, `--perturbed` uses worse receivers
/// on the same drives.
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

    /// The corpora's folder beside the project, as in the tests.
    private static var defaultCorpora: String {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(5)
        return parts.joined(separator: "/") + "/../shared/corpora"
    }
}
