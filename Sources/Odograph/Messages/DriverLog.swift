import OdographCivilTime

/// The drivers that programs on the vehicle have set, with their times.
///
/// The ends of trips are found later and dated back, so the log answers for any time.
package struct DriverLog: Hashable, Sendable, Codable {
    private struct Entry: Hashable, Sendable, Codable {
        var time: Timestamp
        /// Nil: from then on no driver is known.
        var driver: String?
    }

    /// The number of changes that are kept. A provisional trip has few of them.
    package static let maximumEntries = 32
    /// The longest name of a driver, bytes of UTF-8.
    package static let longestName = 200

    private var entries: [Entry] = []
    /// Whether the newest driver stays after a restart.
    package private(set) var isPersistent = false

    /// Creates an empty log.
    package init() {}

    /// Whether no driver was set in the time that the log covers.
    package var isEmpty: Bool { entries.isEmpty }

    /// The driver now; nil for none.
    package var current: String? { entries.last?.driver }

    /// Sets the driver from a time on.
    /// - Parameters:
    ///   - driver: The driver; nil for none.
    ///   - time: The time. Later entries are removed: they have a date from before a correction of the clock.
    ///   - isPersistent: Whether the driver stays after a restart.
    package mutating func set(_ driver: String?, at time: Timestamp, isPersistent: Bool) {
        self.isPersistent = isPersistent
        guard driver != current else { return }
        entries.removeAll { $0.time >= time }
        entries.append(Entry(time: time, driver: driver))
        if entries.count > Self.maximumEntries { entries.removeFirst(entries.count - Self.maximumEntries) }
    }

    /// Begins a run: a driver that was not to persist is not known any more.
    package mutating func beginRun(at now: Timestamp) {
        guard !isPersistent, current != nil, let last = entries.last else { return }
        // The machine's clock can be wrong at a start.
        set(nil, at: max(now, last.time.advanced(byMilliseconds: 1)), isPersistent: false)
    }

    /// Returns the driver at a time; nil for none.
    package func driver(at time: Timestamp) -> String? { entries.last { $0.time <= time }?.driver }

    /// Returns the driver of a trip: the one who was set last during it, else the one at its start.
    ///
    /// Drivers log in after they have started, and log out before the agent knows that they have stopped. So the
    /// removal of a driver during a trip does not count.
    package func driver(ofTripFrom start: Timestamp, to end: Timestamp) -> String? {
        entries.last { $0.time > start && $0.time < end && $0.driver != nil }?.driver ?? driver(at: start)
    }
}
