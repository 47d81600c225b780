import OdographTracking

/// Decides when waiting undated fixes are saved and reported; ``InputPipeline`` executes it.
struct UndatedFixTimer {
    /// The time after which the problem is reported. A receiver that was just turned on knows the time within a minute.
    private static let timeoutMilliseconds: Int64 = 60_000

    /// The time between two checks of the machine's clock while fixes wait, seconds.
    static let clockPollSeconds = 10.0

    private var sinceUptimeMilliseconds: Int64?
    private var savedUptimeMilliseconds: Int64?

    /// Whether fixes come whose date is not known.
    var isRunning: Bool { sinceUptimeMilliseconds != nil }

    /// Starts the timer when a fix has no date.
    mutating func startIfNeeded(uptimeMilliseconds: Int64) {
        sinceUptimeMilliseconds = sinceUptimeMilliseconds ?? uptimeMilliseconds
    }

    /// Returns whether fixes have come without a date for long enough to report it.
    func hasTimedOut(uptimeMilliseconds: Int64) -> Bool {
        sinceUptimeMilliseconds.map { uptimeMilliseconds - $0 >= Self.timeoutMilliseconds } ?? false
    }

    /// Returns whether the waiting fixes should be saved: as often as a moving vehicle is recorded.
    func isSaveDue(uptimeMilliseconds: Int64, by settings: TrackingSettings) -> Bool {
        guard let savedUptimeMilliseconds else { return true }
        return Double(uptimeMilliseconds - savedUptimeMilliseconds) >= settings.minimumSaveIntervalSeconds * 1000
    }

    mutating func markSaved(uptimeMilliseconds: Int64) {
        savedUptimeMilliseconds = uptimeMilliseconds
    }

    /// Resets the timer when the date is known.
    mutating func reset() {
        self = UndatedFixTimer()
    }
}
