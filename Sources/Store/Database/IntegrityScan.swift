import OdographSQLite
import OdographWire

/// A scan of a database that is too large to be checked when it is opened, in small steps.
///
/// Reading finds structural damage: an invalid page, a row that ends outside its page, a broken chain. The scan also
/// checks facts that SQLite does not know: whether the sequence numbers ascend, whether the rows belong to this epoch
/// and have the right checksums, and whether each timeline event is in the indices.
struct IntegrityScan {
    /// The number of rows for about a millisecond, the longest time that the store is blocked.
    private static let rowsPerStep = 256

    private enum Stage {
        case outbox, salvaged, timeline, remainingTables, done
    }

    private var stage: Stage
    /// The last row of the outbox when the database was opened. The agent wrote later rows itself.
    private let outboxEnd: Int64
    private var outboxThrough: Int64 = 0
    private var salvagedThrough = RecordKey(epoch: .min, seq: .min)
    private var timelineThrough: Int64 = 0

    /// - Parameter newest: The newest row of the outbox. Nil if there is nothing to check.
    init(outboxThrough newest: Int64? = nil) {
        stage = newest == nil ? .done : .outbox
        outboxEnd = newest ?? 0
    }

    /// Whether the scan is complete.
    var isDone: Bool {
        if case .done = stage { true } else { false }
    }

    /// Checks the next part.
    mutating func advance(_ connection: borrowing SQLiteConnection, _ counters: StoreCounters, path: String)
        throws(StoreError)
    {
        switch stage {
        case .outbox: if try advanceOutbox(connection, counters, path: path) { stage = .salvaged }
        case .salvaged: if try advanceSalvaged(connection, path: path) { stage = .timeline }
        case .timeline: if try advanceTimeline(connection, path: path) { stage = .remainingTables }
        case .remainingTables:
            // These tables have a few dozen pages.
            for (table, columns) in [
                ("journal", "slot, entries"), ("snapshot", "part, bytes"), ("document", "name, bytes"),
                ("ledger", "position, epoch, from_seq, to_seq, count, kind, reason, at"),
            ] {
                try connection.prepare("SELECT \(columns), checksum FROM \(table)").forEach { row throws(StoreError) in
                    guard row.isIntact() else { throw row.damageError("a row of \(table)") }
                    return true
                }
            }
            stage = .done
        case .done: return
        }
    }

    /// Checks the next rows of the outbox. Returns whether it was the last part.
    private mutating func advanceOutbox(
        _ connection: borrowing SQLiteConnection, _ counters: StoreCounters, path: String
    ) throws(StoreError) -> Bool {
        let (epoch, newest, end) = (counters.epochIdentity.epoch, counters.newestSeq, outboxEnd)
        var (through, rows) = (outboxThrough, 0)
        // No upper bound: with one, a number that is too large would hide the rows after it.
        let statement = try connection.prepare(
            """
            SELECT epoch, seq, kind, timestamp, payload, checksum FROM outbox
            WHERE seq > ?1 ORDER BY seq LIMIT \(Self.rowsPerStep)
            """)
        try statement.forEach(.integer(through)) { row throws(StoreError) in
            let seq = row.integer(1)
            guard seq > through, seq <= newest, row.integer(0) == epoch, RecordKind(rawValue: row.integer(2)) != nil,
                row.isNull(4) || row.isIntact()
            else {
                throw .damaged(path: path, reason: "the row after record \(through) is none of the outbox")
            }
            guard seq <= end else { return false }
            through = seq
            rows += 1
            return true
        }
        try checkInputs(connection, after: outboxThrough, through: through)
        outboxThrough = through
        return rows < Self.rowsPerStep
    }

    private func checkInputs(
        _ connection: borrowing SQLiteConnection, after seq: Int64, through last: Int64
    ) throws(StoreError) {
        let statement = try connection.prepare(
            "SELECT seq, inputs, inputs_checksum FROM outbox WHERE seq > ?1 AND seq <= ?2 AND inputs IS NOT NULL")
        try statement.forEach(.integer(seq), .integer(last)) { row throws(StoreError) in
            guard row.isIntact() else { throw row.damageError("the journal beside record \(row.integer(0))") }
            return true
        }
    }

    /// Checks the next salvaged rows. Returns whether it was the last part.
    private mutating func advanceSalvaged(_ connection: borrowing SQLiteConnection, path: String) throws(StoreError)
        -> Bool
    {
        var rows = 0
        var through = salvagedThrough
        let statement = try connection.prepare(
            """
            SELECT epoch, seq, kind, timestamp, payload, checksum FROM salvaged
            WHERE (epoch, seq) > (?1, ?2) ORDER BY epoch, seq LIMIT \(Self.rowsPerStep)
            """)
        try statement.forEach(.integer(through.epoch), .integer(through.seq)) { row throws(StoreError) in
            let key = RecordKey(epoch: row.integer(0), seq: row.integer(1))
            guard key > through, row.isIntact() else {
                throw .damaged(path: path, reason: "the row after salvaged record \(through.seq) is none of them")
            }
            through = key
            rows += 1
            return true
        }
        salvagedThrough = through
        return rows < Self.rowsPerStep
    }

    /// Checks the next timeline rows. Returns whether it was the last part.
    private mutating func advanceTimeline(_ connection: borrowing SQLiteConnection, path: String) throws(StoreError)
        -> Bool
    {
        var rows = 0
        var through = timelineThrough
        let statement = try connection.prepare(
            """
            SELECT id, event_id, start, finish, updated, final, payload, checksum FROM timeline
            WHERE id > ?1 ORDER BY id LIMIT \(Self.rowsPerStep)
            """)
        try statement.forEach(.integer(through)) { row throws(StoreError) in
            guard row.integer(0) > through, row.isIntact(from: 1) else {
                throw .damaged(path: path, reason: "the row after timeline event \(through) is none of them")
            }
            through = row.integer(0)
            rows += 1
            return true
        }
        try checkIndices(connection, after: timelineThrough, through: through)
        timelineThrough = through
        return rows < Self.rowsPerStep
    }

    /// Verifies that each index contains the events of a range: a query by an index would miss others.
    private func checkIndices(
        _ connection: borrowing SQLiteConnection, after id: Int64, through last: Int64
    ) throws(StoreError) {
        let lasts = "finish = \(Int64.max)"
        // The plus sign prevents SQLite from finding the event in the table itself.
        for (index, events, key) in [
            ("timeline_time", "TRUE", "start = row.start AND finish = row.finish"),
            ("timeline_open", lasts, "start = row.start AND \(lasts)"),
            ("timeline_updated", "TRUE", "updated = row.updated"),
            ("sqlite_autoindex_timeline_1", "TRUE", "event_id = row.event_id"),
        ] {
            let statement = try connection.prepare(
                """
                SELECT event_id FROM timeline AS row WHERE id > ?1 AND id <= ?2 AND \(events)
                    AND NOT EXISTS (SELECT 1 FROM timeline INDEXED BY \(index) WHERE \(key) AND +id = row.id)
                """)
            try statement.forEach(.integer(id), .integer(last)) { row throws(StoreError) in
                throw row.damageError("the index of timeline event \(row.text(0) ?? "")")
            }
        }
    }
}
