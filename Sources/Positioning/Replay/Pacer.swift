import CivilTime

/// Spreads recorded events over real time.
struct Pacer {
    private let speedFactor: Double?
    private let maximumPauseSeconds: Double
    private var lastTime: Timestamp?
    /// When the last event was due, on the monotonic clock. Kept apart from when it was taken, so that no lag adds up.
    private var dueUptimeMilliseconds = 0.0

    /// - Parameters: as ``ReplaySettings/speedFactor`` and ``ReplaySettings/maximumPauseSeconds``.
    init(speedFactor: Double?, maximumPauseSeconds: Double) {
        self.speedFactor = speedFactor
        self.maximumPauseSeconds = maximumPauseSeconds
    }

    /// - Returns: The monotonic clock's reading at which the event of this recorded time is due; nil for at once. A step
    ///   backwards of the record costs no time.
    mutating func dueTime(for time: Timestamp, now uptimeMilliseconds: Int64) -> Int64? {
        guard let speedFactor, speedFactor > 0 else { return nil }
        if let lastTime {
            let pauseSeconds = min(max(time.seconds(since: lastTime), 0), maximumPauseSeconds)
            dueUptimeMilliseconds += pauseSeconds * 1000 / speedFactor
        } else {
            dueUptimeMilliseconds = Double(uptimeMilliseconds)
        }
        lastTime = time
        return Int64(dueUptimeMilliseconds.rounded())
    }
}
