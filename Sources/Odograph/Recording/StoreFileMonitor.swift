import OdographCivilTime
import OdographModel
import OdographPositioning
import OdographTracking

/// Decides when the store's file is checked, and collects the facts that a run in memory needs when its file becomes
/// usable; ``Recorder`` executes it.
struct StoreFileMonitor {
    /// The maximum time between two checks, milliseconds.
    private static let maximumIntervalMilliseconds: Int64 = 50_000
    /// The minimum time between two checks, which happen when the agent is awake anyway, milliseconds.
    private static let minimumIntervalMilliseconds: Int64 = 5000
    /// The time between two attempts to use an unusable file, milliseconds.
    private static let retryIntervalMilliseconds: Int64 = 10_000

    /// Whether the records are in memory until their file is usable.
    var isInMemory = false
    /// Whether the file is lost and no new one could be written.
    var isFileLost = false
    private var needsRetry: Bool { isInMemory || isFileLost }
    /// The first accepted fix while the records were in memory. nil if there is none.
    private(set) var firstFix: Fix?
    /// Whether the odometer was set while the records were in memory.
    private(set) var isOdometerSet = false
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
        guard isInMemory else { return }
        switch input {
        case .fix(let fix) where firstFix == nil && tracker.hasAccepted(fix): firstFix = fix
        case .odometer: isOdometerSet = true
        default: break
        }
    }

    /// Resets the monitor after the records moved to their file.
    mutating func reset() {
        self = StoreFileMonitor()
    }
}
