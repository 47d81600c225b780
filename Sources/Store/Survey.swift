/// Looks through a database that is too large for that when it is opened, a little at a time.
///
/// Reading finds what is damaged: a page that is none, a row that ends outside of its page, a chain that leads nowhere. What
/// SQLite cannot know is looked at here: whether the numbers ascend, and whether the rows are of this epoch.
struct Survey {
    /// About a millisecond's worth of rows; nobody waits longer than that for the store.
    private static let rowsAtOnce = 256

    private enum Stage {
        case outbox, salvaged, timeline, rest, done
    }

    private var stage: Stage
    private var salvagedThrough = RecordKey(epoch: .min, seq: .min)
    private var timelineThrough: Int64 = 0

    /// - Parameter isNeeded: Whether nobody has looked yet.
    init(isNeeded: Bool) { stage = isNeeded ? .outbox : .done }

    /// Whether all was looked at.
    var isDone: Bool {
        if case .done = stage { true } else { false }
    }

    /// Looks at the next part, and counts what the vault has not counted.
    mutating func advance(_ connection: borrowing Connection, _ counters: inout Counters, path: String)
        throws(StoreError)
    {
        switch stage {
        case .outbox:
            try advanceOutbox(connection, &counters, path: path)
            if counters.outbox.isComplete { stage = .salvaged }
        case .salvaged: if try advanceSalvaged(connection, path: path) { stage = .timeline }
        case .timeline: if try advanceTimeline(connection, path: path) { stage = .rest }
        case .rest:
            // Of these there are a few dozen pages, and the indices.
            for sql in [
                "SELECT * FROM journal", "SELECT * FROM snapshot", "SELECT * FROM ledger", "SELECT * FROM document",
                "SELECT start, finish FROM timeline ORDER BY start, finish",
                "SELECT updated FROM timeline ORDER BY updated",
                "SELECT event_id FROM timeline ORDER BY event_id",
            ] {
                try connection.prepare(sql).forEach { _ throws(StoreError) in true }
            }
            stage = .done
        case .done: return
        }
    }

    private func advanceOutbox(
        _ connection: borrowing Connection, _ counters: inout Counters, path: String
    ) throws(StoreError) {
        let (epoch, newest, newestAtStart) =
            (counters.identities.epoch, counters.newestSeq, counters.outbox.newestAtStart)
        var (through, rows, records) = (counters.outbox.countedThrough, 0, 0)
        // Without a bound: a number that is too large would hide the rows behind it.
        let statement = try connection.prepare(
            """
            SELECT seq, epoch, kind, payload IS NOT NULL, payload, inputs FROM outbox
            WHERE seq > ?1 ORDER BY seq LIMIT \(Self.rowsAtOnce)
            """)
        try statement.forEach(.integer(through)) { row throws(StoreError) in
            let seq = row.integer(0)
            guard seq > through, seq <= newest, row.integer(1) == epoch, RecordKind(rawValue: row.integer(2)) != nil
            else {
                throw .damaged(path: path, reason: "the row after record \(through) is none of the outbox")
            }
            // What was committed since is counted already.
            guard seq <= newestAtStart else { return false }
            through = seq
            rows += 1
            records += row.integer(3) == 1 ? 1 : 0
            return true
        }
        counters.outbox.count(records, through: rows < Self.rowsAtOnce ? newestAtStart : through)
    }

    /// - Returns: Whether that was all.
    private mutating func advanceSalvaged(_ connection: borrowing Connection, path: String) throws(StoreError) -> Bool {
        var rows = 0
        var through = salvagedThrough
        let statement = try connection.prepare(
            """
            SELECT epoch, seq, payload FROM salvaged WHERE (epoch, seq) > (?1, ?2) ORDER BY epoch, seq
            LIMIT \(Self.rowsAtOnce)
            """)
        try statement.forEach(.integer(through.epoch), .integer(through.seq)) { row throws(StoreError) in
            let key = RecordKey(epoch: row.integer(0), seq: row.integer(1))
            guard key > through else {
                throw .damaged(path: path, reason: "the row after salvaged record \(through.seq) is none of them")
            }
            through = key
            rows += 1
            return true
        }
        salvagedThrough = through
        return rows < Self.rowsAtOnce
    }

    /// - Returns: Whether that was all.
    private mutating func advanceTimeline(_ connection: borrowing Connection, path: String) throws(StoreError) -> Bool {
        var rows = 0
        var through = timelineThrough
        let statement = try connection.prepare(
            "SELECT id, payload FROM timeline WHERE id > ?1 ORDER BY id LIMIT \(Self.rowsAtOnce)")
        try statement.forEach(.integer(through)) { row throws(StoreError) in
            guard row.integer(0) > through else {
                throw .damaged(path: path, reason: "the row after timeline event \(through) is none of them")
            }
            through = row.integer(0)
            rows += 1
            return true
        }
        timelineThrough = through
        return rows < Self.rowsAtOnce
    }
}
