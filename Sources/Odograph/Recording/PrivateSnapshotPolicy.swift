import Tracking

/// When the state is saved while no position may be: decided here, done by ``Recorder``.
struct PrivateSnapshotPolicy {
    /// The state is saved this often at the least, milliseconds.
    private static let maximumIntervalMilliseconds: Int64 = 300_000

    /// When, on the monotonic clock, and how far the vehicle had come; nil before the first.
    private(set) var last: (uptimeMilliseconds: Int64, meters: Double)?

    /// Whether it is time: as the vehicle goes on, as often as a location would be recorded in the open, so that a power cut
    /// costs no more of the way than it would there.
    func isDue(uptimeMilliseconds: Int64, meters: Double, by settings: TrackingSettings) -> Bool {
        guard let last else { return true }
        let elapsed = uptimeMilliseconds - last.uptimeMilliseconds
        let hasGone =
            abs(meters - last.meters) >= settings.core.sampling.distanceMeters
            && Double(elapsed) >= settings.minimumSaveIntervalSeconds * 1000
        return hasGone || elapsed >= Self.maximumIntervalMilliseconds
    }

    /// It is saved.
    mutating func markSaved(uptimeMilliseconds: Int64, meters: Double) {
        last = (uptimeMilliseconds, meters)
    }
}
