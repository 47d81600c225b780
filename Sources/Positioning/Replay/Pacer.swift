import OdographCivilTime

/// Spreads recorded events over real time.
struct Pacer {
    private let speedFactor: Double?
    private let maximumPauseSeconds: Double
    private var lastTime: Timestamp?
    /// The due time of the last event on the monotonic clock. It is independent of delays, so that they do not add up.
    private var dueUptimeMilliseconds = 0.0

    /// Creates a pacer with ``ReplaySettings/speedFactor`` and ``ReplaySettings/maximumPauseSeconds``.
    init(speedFactor: Double?, maximumPauseSeconds: Double) {
        self.speedFactor = speedFactor
        self.maximumPauseSeconds = maximumPauseSeconds
    }

    /// Returns the time of the monotonic clock at which the event with a recorded time is due; nil for immediately. A
    /// backward step of the recorded time causes no pause.
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
