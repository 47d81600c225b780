import OdographTracking

/// Decides when the state is saved in private time; ``InputPipeline`` executes it.
struct PrivateSnapshotPolicy {
    /// The maximum time between two snapshots, milliseconds.
    private static let maximumIntervalMilliseconds: Int64 = 300_000

    /// The time, on the monotonic clock, and the odometer of the last snapshot. nil before the first one.
    private(set) var last: (uptimeMilliseconds: Int64, meters: Double)?

    /// Returns whether a snapshot is due. A moving vehicle saves as often as it would record locations outside private
    /// time, so that a power cut loses no more distance.
    func isDue(uptimeMilliseconds: Int64, meters: Double, by settings: TrackingSettings) -> Bool {
        guard let last else { return true }
        let elapsed = uptimeMilliseconds - last.uptimeMilliseconds
        let hasGone =
            abs(meters - last.meters) >= settings.core.sampling.distanceMeters
            && Double(elapsed) >= settings.minimumSaveIntervalSeconds * 1000
        return hasGone || elapsed >= Self.maximumIntervalMilliseconds
    }

    mutating func markSaved(uptimeMilliseconds: Int64, meters: Double) {
        last = (uptimeMilliseconds, meters)
    }
}
