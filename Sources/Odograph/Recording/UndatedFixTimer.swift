import Tracking

/// How positions wait for their date, and when they are saved meanwhile: decided here, done by ``Recorder``.
struct UndatedFixTimer {
    /// A receiver that has just been turned on tells the time within a minute; then somebody should know.
    private static let timeoutMilliseconds: Int64 = 60_000

    private var sinceUptimeMilliseconds: Int64?
    private var savedUptimeMilliseconds: Int64?

    /// A position waits.
    mutating func startIfNeeded(uptimeMilliseconds: Int64) {
        sinceUptimeMilliseconds = sinceUptimeMilliseconds ?? uptimeMilliseconds
    }

    /// Whether one has waited for so long that somebody should know.
    func hasTimedOut(uptimeMilliseconds: Int64) -> Bool {
        sinceUptimeMilliseconds.map { uptimeMilliseconds - $0 >= Self.timeoutMilliseconds } ?? false
    }

    /// Whether those that wait are to be saved: as often as a vehicle that moves would be recorded.
    func isSaveDue(uptimeMilliseconds: Int64, by settings: TrackingSettings) -> Bool {
        guard let savedUptimeMilliseconds else { return true }
        return Double(uptimeMilliseconds - savedUptimeMilliseconds) >= settings.minimumSaveIntervalSeconds * 1000
    }

    /// Those that wait are saved.
    mutating func markSaved(uptimeMilliseconds: Int64) {
        savedUptimeMilliseconds = uptimeMilliseconds
    }

    /// Nothing waits any more.
    mutating func reset() {
        self = UndatedFixTimer()
    }
}
