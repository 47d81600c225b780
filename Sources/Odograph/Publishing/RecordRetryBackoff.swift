import Store

/// The records that the broker did not acknowledge although it acknowledged later ones, and when each is sent again.
///
/// Once is an accident: the record is sent again at once, on the next connection. A record that is left out again waits, longer
/// each time. Otherwise it would end each connection, and with it everything else that is to be sent.
struct RecordRetryBackoff {
    private struct Entry {
        var failures: Int
        var dueUptimeMilliseconds: Int64
    }

    private static let initialDelayMilliseconds: Int64 = 60_000
    private static let maximumDelayMilliseconds: Int64 = 3_600_000
    /// Further ones are sent as if nothing had happened: a broker that leaves out so many does it to all.
    private static let capacity = 4096

    private var entries: [RecordKey: Entry] = [:]

    /// The records that were left out more than once.
    var repeatedlyUnacknowledged: [RecordKey] { entries.filter { $0.value.failures > 1 }.keys.sorted() }

    /// Notes that a record was left out.
    mutating func recordFailure(_ key: RecordKey, uptimeMilliseconds now: Int64) {
        guard entries.count < Self.capacity || entries[key] != nil else { return }
        let times = (entries[key]?.failures ?? 0) + 1
        let doublings = min(max(times - 2, 0), 6)
        let delay =
            times == 1 ? 0 : min(Self.initialDelayMilliseconds << Int64(doublings), Self.maximumDelayMilliseconds)
        entries[key] = Entry(failures: times, dueUptimeMilliseconds: now + delay)
    }

    /// When a record may be sent, on the monotonic clock; nil: now.
    func due(_ key: RecordKey, uptimeMilliseconds now: Int64) -> Int64? {
        entries[key].flatMap { $0.dueUptimeMilliseconds > now ? $0.dueUptimeMilliseconds : nil }
    }

    /// The broker has a record.
    mutating func remove(_ key: RecordKey) {
        if !entries.isEmpty { entries[key] = nil }
    }

    /// Forgets the records that are no longer in the store.
    /// - Parameter isStored: whether a record was met when the whole store was read.
    mutating func retain(where isStored: (RecordKey) -> Bool) {
        if !entries.isEmpty { entries = entries.filter { isStored($0.key) } }
    }
}
