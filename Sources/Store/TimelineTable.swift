import CivilTime

/// The statements on `timeline`: the newest revision of each event, delivered or not.
struct TimelineTable: ~Copyable {
    private let updateInPlace: SQLiteStatement
    private let upsert: SQLiteStatement
    private let readSize: SQLiteStatement
    private let readRange: SQLiteStatement
    private let readUpdates: SQLiteStatement
    private let readEvent: SQLiteStatement
    private let readOpen: SQLiteStatement
    private let readNewestUpdate: SQLiteStatement
    private let readTotals: SQLiteStatement
    private let readOldestFinal: SQLiteStatement
    private let readAbandoned: SQLiteStatement
    private let deleteRow: SQLiteStatement
    private let readAll: SQLiteStatement

    /// How much the table holds.
    struct Totals: Equatable {
        /// Events.
        var count = 0
        /// Bytes of their payloads.
        var bytes = 0
        /// The longest that any event took which has ended, milliseconds: so far before a time an event of it can begin.
        var longestMilliseconds: Int64 = 0

        fileprivate mutating func updateLongest(_ key: TimelineKey) {
            guard let end = key.end else { return }
            let length = end.millisecondsSinceEpoch.subtractingReportingOverflow(key.start.millisecondsSinceEpoch)
            longestMilliseconds = max(longestMilliseconds, length.overflow ? .max : length.partialValue)
        }
    }

    /// How much there is. Reads the whole table, without the payloads.
    borrowing func totals() throws(StoreError) -> Totals {
        var totals = Totals()
        try readTotals.forEach { row throws(StoreError) in
            totals = Totals(count: Int(row.integer(0)), bytes: Int(row.integer(1)), longestMilliseconds: row.integer(2))
            return false
        }
        return totals
    }

    /// Stores a revision, unless a later one is there.
    ///
    /// - Parameter totals: Is kept right.
    borrowing func save(
        _ key: TimelineKey, payload: [UInt8], totals: inout Totals
    ) throws(StoreError) {
        let before = try readSize.firstInteger(.text(key.eventID))
        let end = Self.milliseconds(ofEnd: key.end)
        let update = SQLiteValue.integer(key.lastUpdate.millisecondsSinceEpoch)
        let isFinal = SQLiteValue.integer(key.isFinal ? 1 : 0)
        if before != nil {
            // As long as an event lasts, start and end stay: then their index has nothing to write.
            let count = try updateInPlace.runWithChecksum(
                .text(key.eventID), .integer(key.start.millisecondsSinceEpoch), .integer(end), update, isFinal,
                .blob(payload))
            if count > 0 {
                totals.updateLongest(key)
                totals.bytes += payload.count - Int(before ?? 0)
                return
            }
        }
        let count = try upsert.runWithChecksum(
            .text(key.eventID), .integer(key.start.millisecondsSinceEpoch), .integer(end), update, isFinal,
            .blob(payload))
        guard count > 0 else { return }
        totals.updateLongest(key)
        totals.bytes += payload.count - Int(before ?? 0)
        totals.count += before == nil ? 1 : 0
    }

    /// The events that have a part within a time, its end not included, ordered by their start.
    borrowing func events(
        from: Timestamp, to: Timestamp, limit: Int, maximumBytes: Int, totals: Totals
    ) throws(StoreError) -> TimelinePage {
        var page = PageBuilder(limit: limit, maximumBytes: maximumBytes)
        guard from <= to else { return page.page }
        let (earliest, isOverflow) = from.millisecondsSinceEpoch.subtractingReportingOverflow(
            totals.longestMilliseconds)
        try readRange.forEach(
            .integer(from.millisecondsSinceEpoch), .integer(to.millisecondsSinceEpoch),
            .integer(isOverflow ? .min : earliest)
        ) { row throws(StoreError) in page.append(row.bytes(0) ?? [], group: row.integer(1)) }
        return page.page
    }

    /// The events that were updated after an instant, ordered by that.
    borrowing func updates(
        after: Timestamp, limit: Int, maximumBytes: Int
    ) throws(StoreError) -> TimelinePage {
        var page = PageBuilder(limit: limit, maximumBytes: maximumBytes)
        try readUpdates.forEach(.integer(after.millisecondsSinceEpoch)) { row throws(StoreError) in
            page.append(row.bytes(0) ?? [], group: row.integer(1))
        }
        return page.page
    }

    borrowing func event(id: String) throws(StoreError) -> [UInt8]? {
        var payload: [UInt8]?
        try readEvent.forEach(.text(id)) { row throws(StoreError) in
            payload = row.bytes(0)
            return false
        }
        return payload
    }

    /// The events that last, those of the newest that have ended and may go on, and the latest update of any; nil where
    /// there is none.
    borrowing func openEvents() throws(StoreError) -> (payloads: [[UInt8]], lastUpdate: Timestamp?) {
        var payloads: [[UInt8]] = []
        var newest: Timestamp?
        try readOpen.forEach { row throws(StoreError) in
            payloads.append(row.bytes(0) ?? [])
            return true
        }
        try readNewestUpdate.forEach { row throws(StoreError) in
            newest = Timestamp(millisecondsSinceEpoch: row.integer(0))
            return false
        }
        return (payloads, newest)
    }

    /// Deletes the oldest final events; of a time also those that a tracker whose state was lost has left open.
    ///
    /// - Parameters:
    ///   - instant: Only those that ended before it; nil for any.
    ///   - totals: Is kept right.
    /// - Returns: How many there were.
    borrowing func deleteOldest(
        endedBefore instant: Timestamp?, limit: Int, totals: inout Totals
    ) throws(StoreError) -> Int {
        var found: [(id: Int64, bytes: Int)] = []
        func note(_ row: borrowing SQLiteStatement) -> Bool {
            found.append((row.integer(0), Int(row.integer(1))))
            return true
        }
        let bound = SQLiteValue.integer(instant?.millisecondsSinceEpoch ?? .max)
        try readOldestFinal.forEach(bound, .integer(Int64(limit))) { row throws(StoreError) in note(row) }
        if instant != nil {
            try readAbandoned.forEach(bound, .integer(Int64(limit))) { row throws(StoreError) in note(row) }
        }
        for row in found {
            try deleteRow.run(.integer(row.id))
            totals.bytes -= row.bytes
            totals.count -= 1
        }
        return found.count
    }

    /// Hands over every event, until `body` says false.
    borrowing func forEach(
        _ body: (TimelineKey, [UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try readAll.forEach { row throws(StoreError) in
            // What was changed is reported by ``IntegrityScan``; here all that can be read is wanted.
            guard row.isIntact(), let id = row.text(0), let payload = row.bytes(5) else { return true }
            let end = row.integer(2)
            let key = TimelineKey(
                eventID: id, start: Timestamp(millisecondsSinceEpoch: row.integer(1)),
                end: end == .max ? nil : Timestamp(millisecondsSinceEpoch: end),
                lastUpdate: Timestamp(millisecondsSinceEpoch: row.integer(3)), isFinal: row.integer(4) != 0)
            return try body(key, payload)
        }
    }

    /// An event that lasts ends after everything.
    private static func milliseconds(ofEnd end: Timestamp?) -> Int64 { end?.millisecondsSinceEpoch ?? .max }
}

/// Collects an answer up to its bounds, and never parts rows that are at the same instant: whoever asks for what comes
/// behind the last one loses none.
private struct PageBuilder {
    let limit: Int
    let maximumBytes: Int
    private(set) var page = TimelinePage(payloads: [], hasMore: false)
    private var bytes = 0
    private var lastGroup: Int64?

    init(limit: Int, maximumBytes: Int) {
        self.limit = limit
        self.maximumBytes = maximumBytes
    }

    /// - Returns: Whether to go on.
    mutating func append(_ payload: [UInt8], group: Int64) -> Bool {
        let isFull = page.payloads.count >= limit || (bytes > 0 && bytes + payload.count > maximumBytes)
        if isFull, group != lastGroup {
            page.hasMore = true
            return false
        }
        page.payloads.append(payload)
        bytes += payload.count
        lastGroup = group
        return true
    }
}

extension TimelineTable {
    // In an extension, so that the one step of the memberwise initializer is left: a half-made value could not be released.
    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        let checksums = connection.checksumColumns()
        try self.init(
            updateInPlace: connection.prepareChecksummedWrite(
                """
                UPDATE timeline SET updated = ?4, final = ?5, payload = ?6, checksum = ?7
                WHERE event_id = ?1 AND start = ?2 AND finish = ?3 AND updated <= ?4
                """, checksums),
            upsert: connection.prepareChecksummedWrite(
                """
                INSERT INTO timeline (event_id, start, finish, updated, final, payload, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (event_id) DO UPDATE SET start = excluded.start, finish = excluded.finish,
                    updated = excluded.updated, final = excluded.final, payload = excluded.payload,
                    checksum = excluded.checksum
                WHERE excluded.updated >= updated
                """, checksums),
            readSize: connection.prepare("SELECT length(payload) FROM timeline WHERE event_id = ?1"),
            // A part within [from, to): what begins or ends there, and what takes no time there, counts once. What has ended
            // did not begin earlier than the longest event before it; what has begun earlier lasts. What was withdrawn ends
            // before it begins, and has no part in any time.
            readRange: connection.prepare(
                """
                SELECT payload, start, finish FROM timeline INDEXED BY timeline_open
                WHERE finish = \(Int64.max) AND start < ?3 AND (start < ?2 OR start = ?1)
                UNION ALL
                SELECT payload, start, finish FROM timeline INDEXED BY timeline_time
                WHERE start >= ?3 AND start <= ?2 AND (start < ?2 OR start = ?1) AND (finish > ?1 OR start >= ?1)
                    AND finish >= start
                ORDER BY start, finish
                """),
            readUpdates: connection.prepare(
                "SELECT payload, updated FROM timeline INDEXED BY timeline_updated WHERE updated > ?1 ORDER BY updated"
            ),
            readEvent: connection.prepare("SELECT payload FROM timeline WHERE event_id = ?1"),
            // What may go on ended right before the one that lasts.
            readOpen: connection.prepare(
                """
                SELECT payload, start FROM (
                    SELECT payload, start, finish, final FROM timeline INDEXED BY timeline_updated
                    ORDER BY updated DESC LIMIT 8)
                WHERE final = 0 AND finish <> \(Int64.max)
                UNION ALL
                SELECT payload, start FROM timeline INDEXED BY timeline_open WHERE finish = \(Int64.max)
                ORDER BY start
                """),
            readNewestUpdate: connection.prepare(
                "SELECT updated FROM timeline INDEXED BY timeline_updated ORDER BY updated DESC LIMIT 1"),
            readTotals: connection.prepare(
                """
                SELECT count(*), coalesce(sum(length(payload)), 0),
                    coalesce(max(finish - start) FILTER (WHERE finish <> \(Int64.max)), 0)
                FROM timeline
                """),
            readOldestFinal: connection.prepare(
                """
                SELECT id, length(payload) FROM timeline INDEXED BY timeline_time
                WHERE start < ?1 AND finish < ?1 AND final = 1 ORDER BY start LIMIT ?2
                """),
            readAbandoned: connection.prepare(
                """
                SELECT id, length(payload) FROM timeline INDEXED BY timeline_updated
                WHERE updated < ?1 AND final = 0 ORDER BY updated LIMIT ?2
                """),
            deleteRow: connection.prepare("DELETE FROM timeline WHERE id = ?1"),
            readAll: connection.prepare(
                """
                SELECT event_id, start, finish, updated, final, payload, \(checksums.ofRows) FROM timeline ORDER BY id
                """))
    }
}
