import OdographModel
import OdographTracking

/// Decides when the store's file is checked; ``StoreFileKeeper`` executes it.
struct StoreFileMonitor {
    /// The maximum time between two checks, milliseconds.
    private static let maximumIntervalMilliseconds: Int64 = 50_000
    /// The minimum time between two checks, which happen when the agent is awake anyway, milliseconds.
    private static let minimumIntervalMilliseconds: Int64 = 5000
    /// The time between two attempts to use an unusable file, milliseconds.
    private static let retryIntervalMilliseconds: Int64 = 10_000

    /// The place of the records.
    enum Place: Equatable {
        case file
        /// The file is lost and no new one could be written.
        case lostFile
        /// The records are in memory until their file is usable.
        case memory(MemoryRun)
    }

    var place = Place.file
    private var needsRetry: Bool { place != .file }
    private var lastCheckUptimeMilliseconds: Int64?

    /// Returns whether a check is due if the agent is awake.
    func isDue(uptimeMilliseconds: Int64) -> Bool {
        guard let last = lastCheckUptimeMilliseconds else { return true }
        return uptimeMilliseconds - last
            >= (needsRetry ? Self.retryIntervalMilliseconds : Self.minimumIntervalMilliseconds)
    }

    /// Returns the time at which the agent must wake up for a check, on the monotonic clock.
    func due(uptimeMilliseconds: Int64) -> Int64 {
        (lastCheckUptimeMilliseconds ?? uptimeMilliseconds)
            + (needsRetry ? Self.retryIntervalMilliseconds : Self.maximumIntervalMilliseconds)
    }

    mutating func markChecked(uptimeMilliseconds: Int64) {
        lastCheckUptimeMilliseconds = uptimeMilliseconds
    }

    mutating func observe(_ input: TrackerInput, by tracker: Tracker) {
        guard case .memory(var run) = place else { return }
        run.observe(input, by: tracker)
        place = .memory(run)
    }
}
