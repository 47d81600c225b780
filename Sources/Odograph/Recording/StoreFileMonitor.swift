import CivilTime
import Positioning
import Tracking

/// When the store's file is looked after, and what a run in memory has to know for the time when its file can be used: decided here, done
/// by ``Recorder``.
struct StoreFileMonitor {
    /// The file of a store that has one is looked after at the latest this long after the last time, milliseconds.
    private static let maximumIntervalMilliseconds: Int64 = 50_000
    /// Where the agent is awake anyhow, it is looked after this often.
    private static let minimumIntervalMilliseconds: Int64 = 5000
    /// A file that cannot be used is tried again this often, milliseconds.
    private static let retryIntervalMilliseconds: Int64 = 10_000

    /// Whether the records are in memory until their file can be used.
    var isInMemory = false
    /// Whether the file is lost, and no new one could be written.
    var isFileLost = false
    private var needsRetry: Bool { isInMemory || isFileLost }
    /// The first fix that was believed while the records were in memory. Nil for none.
    private(set) var firstFix: Fix?
    /// Whether the odometer was set while the records were in memory.
    private(set) var isOdometerSet = false
    private var lastCheckUptimeMilliseconds: Int64?

    /// Whether it is time, where the agent is awake.
    func isDue(uptimeMilliseconds: Int64) -> Bool {
        guard let last = lastCheckUptimeMilliseconds else { return true }
        return uptimeMilliseconds - last
            >= (needsRetry ? Self.retryIntervalMilliseconds : Self.minimumIntervalMilliseconds)
    }

    /// When the agent has to wake up for it, on the monotonic clock.
    func due(uptimeMilliseconds: Int64) -> Int64 {
        (lastCheckUptimeMilliseconds ?? uptimeMilliseconds)
            + (needsRetry ? Self.retryIntervalMilliseconds : Self.maximumIntervalMilliseconds)
    }

    /// The file was looked after.
    mutating func markChecked(uptimeMilliseconds: Int64) {
        lastCheckUptimeMilliseconds = uptimeMilliseconds
    }

    /// The tracker has handled an input.
    mutating func observe(_ input: TrackerInput, lastFix: Fix?) {
        guard isInMemory else { return }
        switch input {
        case .fix(let fix) where firstFix == nil && lastFix == fix: firstFix = fix
        case .odometer: isOdometerSet = true
        default: break
        }
    }

    /// The records are in their file.
    mutating func reset() {
        self = StoreFileMonitor()
    }
}
