import OdographStore
import OdographWire

/// The records after which the broker has ended the connection, and when each is sent again.
///
/// Some brokers close a connection on a message that they do not allow, or that is too long, and do not say why. If
/// three connections in a row end so soon after the same record, it is set aside: first for a minute, then for twice as
/// long each time. Otherwise it would end every connection and block all other records. If four connections end after
/// records of one kind, all records of the kind wait in the same manner: the broker probably does not allow their
/// topic.
struct ConnectionEnds {
    /// The end of a connection, and its cause.
    enum Subject: Hashable {
        case record(RecordKey, RecordKind)
        /// A message with many records.
        case batch
    }

    /// The records that wait because of an end.
    enum Pause: Equatable {
        /// The record, for so many milliseconds.
        case record(Int64)
        /// All records of its kind, for so many milliseconds.
        case kind(Int64)

        /// The time, milliseconds.
        var milliseconds: Int64 {
            switch self {
            case .record(let milliseconds), .kind(let milliseconds): milliseconds
            }
        }
    }

    /// The ends after one record, or after the records of one kind.
    private struct Entry {
        var ends = 0
        var dueUptimeMilliseconds: Int64 = 0

        /// Waits for a time that doubles with each end from the given number on.
        /// - Returns: The time, milliseconds.
        mutating func wait(since limit: Int, uptimeMilliseconds now: Int64) -> Int64 {
            let doublings = Int64(min(ends - limit, 6))
            let pause = min(ConnectionEnds.firstMilliseconds << doublings, ConnectionEnds.longestPauseMilliseconds)
            dueUptimeMilliseconds = now + pause
            return pause
        }
    }

    /// The longest time between a message and an end of the connection that it may have caused, milliseconds.
    private static let longestMilliseconds: Int64 = 2_000
    /// The numbers of ends that set a record aside, and all records of a kind.
    private static let (limit, kindLimit) = (3, 4)
    /// The largest number of records that are set aside. If there are more, the fault is not that of a record.
    private static let capacity = 100
    private static let (firstMilliseconds, longestPauseMilliseconds) = (Int64(60_000), Int64(3_600_000))
    /// How long a record that is probably the cause lets others go first, milliseconds.
    private static let deferralMilliseconds: Int64 = 10_000
    /// The number of acknowledged messages after which more than one may be in flight again.
    private static let carefulCount = 32

    private var entries: [Subject: Entry] = [:]
    private var kinds: [RecordKind: Entry] = [:]
    /// The number of messages that still go one by one, so that the next end shows which one caused it.
    private var carefulLeft = 0
    /// Whether the last end was probably caused by a message: it, or others of its kind, has ended a connection before.
    private(set) var hasProbableCause = false

    /// Whether only one message may be in flight.
    var isCareful: Bool { carefulLeft > 0 }

    /// The records that are set aside.
    var asideKeys: [RecordKey] {
        entries.compactMap { subject, entry in
            guard case .record(let key, _) = subject, entry.ends >= Self.limit else { return nil }
            return key
        }.sorted()
    }

    /// Whether any record waits because of an end.
    var isHolding: Bool { !asideKeys.isEmpty || kinds.values.contains { $0.ends >= Self.kindLimit } }

    /// Notes a new connection. A record that has probably ended two lets the others go first.
    mutating func handleConnected(uptimeMilliseconds now: Int64) {
        for (subject, entry) in entries where entry.ends == Self.limit - 1 {
            entries[subject]?.dueUptimeMilliseconds = max(
                entry.dueUptimeMilliseconds, now + Self.deferralMilliseconds)
        }
    }

    /// Notes that the broker has ended the connection while messages were not acknowledged.
    ///
    /// - Parameters:
    ///   - oldest: The oldest one of these messages: the broker has acknowledged all before it.
    ///   - sent: When it was sent, on the monotonic clock.
    /// - Returns: What waits now; nil if nothing does.
    mutating func handleEnd(after oldest: Subject, sent: Int64, uptimeMilliseconds now: Int64) -> Pause? {
        carefulLeft = Self.carefulCount
        hasProbableCause = false
        guard now - sent <= Self.longestMilliseconds else { return nil }
        var entry = entries[oldest] ?? Entry()
        guard entry.ends + 1 < Self.limit || entry.ends >= Self.limit || asideKeys.count < Self.capacity else {
            return nil
        }
        entry.ends += 1
        hasProbableCause = entry.ends > 1
        var pause: Pause?
        if entry.ends >= Self.limit { pause = .record(entry.wait(since: Self.limit, uptimeMilliseconds: now)) }
        entries[oldest] = entry
        guard case .record(_, let kind) = oldest else { return pause }
        var ends = kinds[kind] ?? Entry()
        ends.ends += 1
        if ends.ends >= Self.kindLimit {
            hasProbableCause = true
            // The next record of the kind is one that has ended no connection: it shows whether the kind is the cause.
            let wait = ends.wait(since: Self.kindLimit, uptimeMilliseconds: now)
            for case (.record(let key, kind), let known) in entries where known.ends < Self.limit {
                entries[.record(key, kind)]?.dueUptimeMilliseconds = now + wait + Self.deferralMilliseconds
            }
            pause = .kind(wait)
        }
        kinds[kind] = ends
        return pause
    }

    /// Notes that the broker has acknowledged a message.
    mutating func handleAcknowledged(_ subject: Subject) {
        carefulLeft = max(carefulLeft - 1, 0)
        if !entries.isEmpty { entries[subject] = nil }
        if case .record(_, let kind) = subject, !kinds.isEmpty { kinds[kind] = nil }
    }

    /// Returns when a message may be sent, on the monotonic clock; nil if it may be sent now.
    func due(_ subject: Subject, uptimeMilliseconds now: Int64) -> Int64? {
        var due = entries[subject]?.dueUptimeMilliseconds ?? 0
        if case .record(_, let kind) = subject { due = max(due, kinds[kind]?.dueUptimeMilliseconds ?? 0) }
        return due > now ? due : nil
    }

    /// Returns whether a record may have ended a connection: it goes into no batch.
    func isSuspect(_ record: StoredRecord) -> Bool {
        entries[.record(record.key, record.kind)] != nil || kinds[record.kind] != nil
    }

    /// Removes the records that are no longer in the store.
    mutating func retain(where isStored: (RecordKey) -> Bool) {
        entries = entries.filter { subject, _ in
            switch subject {
            case .record(let key, _): isStored(key)
            case .batch: true
            }
        }
    }
}
