import OdographCivilTime
import OdographSQLite

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

    /// The size of the table.
    struct Totals: Equatable {
        /// The number of events.
        var count = 0
        /// The bytes of their payloads.
        var bytes = 0
        /// The longest duration of a finished event, in milliseconds: it bounds the search before a range.
        var longestMilliseconds: Int64 = 0

        fileprivate mutating func updateLongest(_ key: TimelineKey) {
            guard let end = key.end else { return }
            let length = end.millisecondsSinceEpoch.subtractingReportingOverflow(key.start.millisecondsSinceEpoch)
            longestMilliseconds = max(longestMilliseconds, length.overflow ? .max : length.partialValue)
        }
    }

    /// Returns the size of the table. Reads all of it, without the payloads.
    borrowing func totals() throws(StoreError) -> Totals {
        let totals = try readTotals.first { row in
            Totals(count: Int(row.integer(0)), bytes: Int(row.integer(1)), longestMilliseconds: row.integer(2))
        }
        return totals ?? Totals()
    }

    /// Stores a revision, unless a later one is stored.
    ///
    /// - Parameter totals: The size of the table, which is updated.
    borrowing func save(
        _ key: TimelineKey, payload: [UInt8], totals: inout Totals
    ) throws(StoreError) {
        let before = try readSize.firstInteger(.text(key.eventID))
        let end = Self.milliseconds(ofEnd: key.end)
        let update = SQLiteValue.integer(key.lastUpdate.millisecondsSinceEpoch)
        let isFinal = SQLiteValue.integer(key.isFinal ? 1 : 0)
        if before != nil {
            // The start and end of an unfinished event do not change, so this update need not write their index.
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

    /// Returns the events that overlap a time range (its end exclusive), ordered by start.
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

    /// Returns the events that were updated after an instant, ordered by update.
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
        try readEvent.first(.text(id)) { row in row.bytes(0) }
    }

    /// Returns the unfinished events, those of the 8 latest that ended but are not final, and the latest update of any
    /// event; nil if there is none.
    borrowing func openEvents() throws(StoreError) -> (payloads: [[UInt8]], lastUpdate: Timestamp?) {
        let payloads: [[UInt8]] = try readOpen.rows { row in row.bytes(0) ?? [] }
        let newest = try readNewestUpdate.first { row in Timestamp(millisecondsSinceEpoch: row.integer(0)) }
        return (payloads, newest)
    }

    /// Deletes the oldest final events; with an instant, also those left open by a tracker whose state was lost.
    ///
    /// - Parameters:
    ///   - instant: The time before which the events ended; nil for any.
    ///   - limit: The maximum number of deleted events.
    ///   - totals: The size of the table, which is updated.
    /// - Returns: The number of deleted events.
    borrowing func deleteOldest(
        endedBefore instant: Timestamp?, limit: Int, totals: inout Totals
    ) throws(StoreError) -> Int {
        func read(_ row: borrowing SQLiteStatement) -> (id: Int64, bytes: Int) {
            (row.integer(0), Int(row.integer(1)))
        }
        let bound = SQLiteValue.integer(instant?.millisecondsSinceEpoch ?? .max)
        var found = try readOldestFinal.rows(bound, .integer(Int64(limit))) { row in read(row) }
        if instant != nil {
            let room = SQLiteValue.integer(Int64(limit - found.count))
            found += try readAbandoned.rows(bound, room) { row in read(row) }
        }
        for row in found {
            try deleteRow.run(.integer(row.id))
            totals.bytes -= row.bytes
            totals.count -= 1
        }
        return found.count
    }

    /// Passes every intact event to `body`, until it returns false.
    borrowing func forEach(
        _ body: (TimelineKey, [UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try readAll.forEach { row throws(StoreError) in
            // ``IntegrityScan`` reports changed rows; this function returns all readable ones.
            guard row.isIntact(), let id = row.text(0), let payload = row.bytes(5) else { return true }
            let end = row.integer(2)
            let key = TimelineKey(
                eventID: id, start: Timestamp(millisecondsSinceEpoch: row.integer(1)),
                end: end == .max ? nil : Timestamp(millisecondsSinceEpoch: end),
                lastUpdate: Timestamp(millisecondsSinceEpoch: row.integer(3)), isFinal: row.integer(4) != 0)
            return try body(key, payload)
        }
    }

    /// Returns the stored end. An unfinished event has the largest integer.
    private static func milliseconds(ofEnd end: Timestamp?) -> Int64 { end?.millisecondsSinceEpoch ?? .max }
}

/// Collects an answer up to its limits. Rows of the same instant stay on one page, so that the next query misses none.
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

    /// Appends a payload. Returns whether to continue.
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
    // An extension keeps the memberwise initializer, which leaves no partly initialized value with statements to free.
    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        try self.init(
            updateInPlace: connection.prepare(
                """
                UPDATE timeline SET updated = ?4, final = ?5, payload = ?6, checksum = ?7
                WHERE event_id = ?1 AND start = ?2 AND finish = ?3 AND updated <= ?4
                """),
            upsert: connection.prepare(
                """
                INSERT INTO timeline (event_id, start, finish, updated, final, payload, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (event_id) DO UPDATE SET start = excluded.start, finish = excluded.finish,
                    updated = excluded.updated, final = excluded.final, payload = excluded.payload,
                    checksum = excluded.checksum
                WHERE excluded.updated >= updated
                """),
            readSize: connection.prepare("SELECT length(payload) FROM timeline WHERE event_id = ?1"),
            // The range is [from, to). An event without a duration is found by its start. A finished event did not
            // start earlier than the longest duration before the range; an event that started earlier is unfinished. A
            // withdrawn event ends before it starts, and is in no range.
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
            // An event that may continue ended just before the unfinished one.
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
                SELECT event_id, start, finish, updated, final, payload, checksum FROM timeline ORDER BY id
                """))
    }
}
