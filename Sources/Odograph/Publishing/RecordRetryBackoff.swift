import OdographStore
import OdographWire

/// The records that the broker did not acknowledge although it acknowledged later ones, and when each is sent again.
/// After the first time, the record is sent on the next connection without a delay. After each further time it waits
/// longer. Otherwise it would end every connection and block all other records.
struct RecordRetryBackoff {
    private struct Entry {
        var failures: Int
        var dueUptimeMilliseconds: Int64
    }

    private static let initialDelayMilliseconds: Int64 = 60_000
    private static let maximumDelayMilliseconds: Int64 = 3_600_000
    /// The maximum number of entries. Further records are sent without a delay: the fault is then the broker's.
    private static let capacity = 4096

    private var entries: [RecordKey: Entry] = [:]

    /// The records that have stayed unacknowledged more than once.
    var repeatedlyUnacknowledged: [RecordKey] { entries.filter { $0.value.failures > 1 }.keys.sorted() }

    /// Notes that a record was not acknowledged.
    mutating func recordFailure(_ key: RecordKey, uptimeMilliseconds now: Int64) {
        guard entries.count < Self.capacity || entries[key] != nil else { return }
        let times = (entries[key]?.failures ?? 0) + 1
        let doublings = min(max(times - 2, 0), 6)
        let delay =
            times == 1 ? 0 : min(Self.initialDelayMilliseconds << Int64(doublings), Self.maximumDelayMilliseconds)
        entries[key] = Entry(failures: times, dueUptimeMilliseconds: now + delay)
    }

    /// Returns whether a record was not acknowledged.
    func hasFailed(_ key: RecordKey) -> Bool { entries[key] != nil }

    /// Returns when a record may be sent, on the monotonic clock. nil if it may be sent now.
    func due(_ key: RecordKey, uptimeMilliseconds now: Int64) -> Int64? {
        entries[key].flatMap { $0.dueUptimeMilliseconds > now ? $0.dueUptimeMilliseconds : nil }
    }

    /// Removes a record that the broker accepted.
    mutating func remove(_ key: RecordKey) {
        if !entries.isEmpty { entries[key] = nil }
    }

    /// Removes the records that are no longer in the store.
    /// - Parameter isStored: Returns whether the last complete pass over the store contained the record.
    mutating func retain(where isStored: (RecordKey) -> Bool) {
        if !entries.isEmpty { entries = entries.filter { isStored($0.key) } }
    }
}
