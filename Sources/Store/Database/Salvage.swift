import OdographCivilTime
import OdographSQLite
import OdographWire

/// Reads the readable data of a damaged or untrusted file, without writing to it.
struct Salvage: ~Copyable {
    let path: String
    let files: StoreFileSystem

    /// The findings about the file.
    struct Findings {
        /// Whether the file is read without its write-ahead log.
        var isLogIgnored = false
        /// The epoch of the file. Nil if it cannot be read.
        var epoch: Int64?
        /// The latest epoch of the file or any record.
        var newestEpoch: Int64 = 0
        /// Whether the tracker's snapshot and all later journal entries could be read.
        var isStateComplete = false
        /// The number of copied records.
        var count = 0
        /// The number of copied records that were in the outbox.
        var outboxCount = 0
        /// The first and the last sequence number that could be read from the outbox. Nil if none could.
        var readableRange: ClosedRange<Int64>?
        /// Whether there is unreadable data before the first readable row.
        var isFrontDamaged = false
    }

    /// Returns the epoch in the file itself, without its write-ahead log. Nil if there is none, or it cannot be read.
    static func epochIdentityIgnoringLog(of path: String, on files: StoreFileSystem) -> EpochIdentity? {
        guard let connection = openIgnoringLog(path, on: files) else { return nil }
        return epochIdentity(connection)
    }

    /// Determines how the file can be read, and its epoch.
    func inspect() -> Findings {
        var findings = Findings()
        let ofFile = Self.epochIdentityIgnoringLog(of: path, on: files)
        let ofAll = epochIdentityIncludingLog()
        findings.isLogIgnored = ofFile != nil && (ofFile != ofAll || hasForeignRecords(ofFile))
        findings.epoch = (ofFile ?? ofAll)?.epoch
        findings.newestEpoch = findings.epoch ?? 0
        if findings.epoch == nil, let connection = open(isLogIgnored: false) {
            // The rows contain epochs too, but without a verified checksum: a flipped bit could make one the lower
            // bound of all later epochs, so its value is bounded.
            let newest = try? connection.firstInteger("SELECT max(epoch) FROM outbox")
            findings.newestEpoch = EpochGenerator.credible(newest ?? 0)
        }
        return findings
    }

    /// Returns whether there are records of another epoch than the file's: they come from the log of another database.
    private func hasForeignRecords(_ identities: EpochIdentity?) -> Bool {
        guard let identities, let connection = open(isLogIgnored: false) else { return false }
        var isFound = false
        for order in ["ASC", "DESC"] where !isFound {
            // A mixture of two databases is damaged too: use the rows before the damage.
            guard let statement = try? connection.prepare("SELECT epoch FROM outbox ORDER BY seq \(order)") else {
                continue
            }
            try? statement.forEach { row throws(StoreError) in
                isFound = row.integer(0) != identities.epoch
                return !isFound
            }
        }
        return isFound
    }

    private func epochIdentityIncludingLog() -> EpochIdentity? {
        guard let connection = open(isLogIgnored: false) else { return nil }
        return Self.epochIdentity(connection)
    }

    /// Copies the records, the documents, the ledger, the timeline and the tracker's state.
    func copy(_ found: Findings, into database: inout Database, at now: Timestamp) throws(StoreError) -> Findings {
        var findings = found
        guard let connection = open(isLogIgnored: findings.isLogIgnored) else { return findings }
        let latest = findings.epoch ?? EpochGenerator.latestCredible
        // Not only those before the epoch of the file: the epoch of a run without the file can be earlier than theirs.
        let ofEarlierEpochs = try copyRecords(
            of: "salvaged", from: connection, epochs: 1...EpochGenerator.latestCredible, into: &database)
        let before = database.counters.salvagedCount
        let walks = try copyRecords(
            of: "outbox", from: connection, epochs: (findings.epoch ?? 1)...latest, into: &database)
        findings.count = database.counters.salvagedCount
        findings.outboxCount = findings.count - before
        findings.isFrontDamaged = walks.contains { $0.isForwards && $0.isFrontDamaged }
        let (first, last) = (walks.compactMap(\.first).min(), walks.compactMap(\.last).max())
        if let first, let last { findings.readableRange = first...last }
        try copyMetadata(from: connection, into: &database)
        // In front: beyond its bound a ledger joins its oldest entries.
        var ledger = Ledger()
        let hidden = try hiddenEntries(ofEarlierEpochs, in: database, at: now)
        for entry in hidden + database.counters.ledger.entries { ledger.add(entry) }
        database.counters.ledger = ledger
        findings.isStateComplete = try copyState(from: connection, into: &database)
        return findings
    }

    /// Copies the readable rows of a table and returns the scans: forwards around unreadable parts, and then backwards,
    /// since a damaged inner page hides a different part in each direction.
    private func copyRecords(
        of table: String, from connection: borrowing SQLiteConnection, epochs: ClosedRange<Int64>,
        into database: inout Database
    ) throws(StoreError) -> [TableScan] {
        var walks: [TableScan] = []
        let key = table == "outbox" ? ["seq"] : ["epoch", "seq"]
        for isForwards in [true, false] {
            let order = key.map { "\($0) \(isForwards ? "ASC" : "DESC")" }.joined(separator: ", ")
            let sql = """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM \(table)
                WHERE seq \(isForwards ? ">" : "<") ?1 AND payload IS NOT NULL ORDER BY \(order)
                """
            guard let statement = try? connection.prepare(sql) else { continue }
            // Only the outbox is ordered by the sequence number alone, so only there a scan can seek.
            var walk = TableScan(isForwards: isForwards, canSeek: table == "outbox")
            while !walk.isDone {
                try copyRows(&walk, through: statement, epochs: epochs, into: &database)
            }
            walks.append(walk)
        }
        return walks
    }

    /// Returns the ledger entries for the numbers of earlier epochs whose records damage can hide.
    /// - Parameter walks: The scans of `salvaged`. Each ends at the damage.
    private func hiddenEntries(
        _ walks: [TableScan], in database: borrowing Database, at now: Timestamp
    ) throws(StoreError) -> [LedgerEntry] {
        let own = try DeliveryTables.epochs(database.connection)
        let single = walks.reduce(into: Set<RecordKey>()) { $0.formUnion($1.unreadable) }.sorted().filter {
            $0.seq > 0 && $0.seq <= own[$0.epoch] ?? 0
        }.map { LedgerEntry($0.seq...$0.seq, of: $0.epoch, because: .possiblyLost, at: now) }
        guard walks.contains(where: \.isDamaged) else { return single }
        let before = walks.first(where: \.isForwards)?.end
        let after = walks.first { !$0.isForwards }?.end
        let hidden = own.sorted { $0.key < $1.key }.compactMap { epoch, through -> LedgerEntry? in
            let (start, end) = (RecordKey(epoch: epoch, seq: 1), RecordKey(epoch: epoch, seq: through))
            let first = before.map { $0 < start ? 1 : $0.epoch == epoch ? $0.seq + 1 : through + 1 } ?? 1
            let last = after.map { $0 > end ? through : $0.epoch == epoch ? $0.seq - 1 : 0 } ?? through
            return first <= last ? LedgerEntry(first...last, of: epoch, because: .possiblyLost, at: now) : nil
        }
        return hidden + single
    }

    /// The position of a scan through a damaged table.
    private struct TableScan {
        let isForwards: Bool
        let canSeek: Bool
        var position: Int64
        var isDone = false
        private var skip: Int64 = 1
        /// The smallest and the largest number that was read.
        private(set) var first: Int64?
        private(set) var last: Int64?
        /// The last record that was read.
        private(set) var end: RecordKey?
        /// The records whose row is there and cannot be read.
        var unreadable: Set<RecordKey> = []
        /// Whether unreadable data was found.
        private(set) var isDamaged = false
        /// Whether unreadable data was found before the first row.
        private(set) var isFrontDamaged = false

        init(isForwards: Bool, canSeek: Bool) {
            self.isForwards = isForwards
            self.canSeek = canSeek
            position = isForwards ? 0 : .max
        }

        /// Notes that a row was read.
        mutating func noteRow(_ key: RecordKey) {
            first = min(first ?? key.seq, key.seq)
            last = max(last ?? key.seq, key.seq)
            end = key
        }

        /// Continues after unreadable data: 1, 2, 4, ... numbers further, until a row is readable.
        mutating func skipDamage(hasRead: Bool) {
            isDamaged = true
            isFrontDamaged = isFrontDamaged || first == nil
            skip = hasRead ? 1 : skip * 2
            guard canSeek, skip < 1 << 24, position != .max else {
                isDone = true
                return
            }
            position += isForwards ? skip : -skip
        }
    }

    /// Copies rows up to the end or to unreadable data.
    private func copyRows(
        _ walk: inout TableScan, through statement: borrowing SQLiteStatement, epochs: ClosedRange<Int64>,
        into database: inout Database
    ) throws(StoreError) {
        var position = walk.position
        var found = walk
        defer { walk = found }
        var hasRead = false
        var writeError: StoreError?
        do {
            try statement.forEach(.integer(position)) { row throws(StoreError) in
                // A row of another version can be intact and yet have a content that this one cannot read.
                guard let record = StoredRecord(row: row), let content = row.bytes(4) else {
                    found.unreadable.insert(RecordKey(epoch: row.integer(0), seq: row.integer(1)))
                    return true
                }
                let seq = record.seq
                // In a tree with pages out of order, SQLite would return the same rows without end.
                guard !walk.canSeek || (walk.isForwards ? seq > position : seq < position) else {
                    throw row.damageError("the row of record \(seq)")
                }
                position = seq
                hasRead = true
                guard epochs.contains(record.epoch), seq > 0 else { return true }
                found.noteRow(record.key)
                do throws(StoreError) {
                    if try database.salvaged.insert(record, payload: content) { database.counters.salvagedCount += 1 }
                    return true
                } catch {
                    writeError = error
                    return false
                }
            }
            found.isDone = true
        } catch {
            if found.canSeek { found.position = position }
            found.skipDamage(hasRead: hasRead)
        }
        if let writeError { throw writeError }
    }

    private func copyMetadata(from connection: borrowing SQLiteConnection, into database: inout Database)
        throws(StoreError)
    {
        if let tables = try? MetadataTables(connection), let ledger = try? tables.ledger() {
            database.counters.ledger = ledger
        }
        try DeliveryTables.copy(from: connection, into: database.connection)
        var documents: [(String, [UInt8])] = []
        if let statement = try? connection.prepare("SELECT name, bytes, checksum FROM document") {
            try? statement.forEach { row throws(StoreError) in
                if row.isIntact(), let name = row.text(0), let bytes = row.bytes(1) { documents.append((name, bytes)) }
                return true
            }
        }
        for (name, bytes) in documents { try database.metadataTables.saveDocument(name, bytes) }
        try copyTimeline(from: connection, into: &database)
    }

    /// Copies the timeline events up to the damage.
    private func copyTimeline(from connection: borrowing SQLiteConnection, into database: inout Database)
        throws(StoreError)
    {
        guard let table = try? TimelineTable(connection) else { return }
        var writeError: StoreError?
        try? table.forEach { (key, payload) throws(StoreError) in
            do throws(StoreError) {
                try database.timeline.save(key, payload: payload, totals: &database.counters.timeline)
                return true
            } catch {
                writeError = error
                return false
            }
        }
        if let writeError { throw writeError }
    }

    /// Copies the tracker's state and returns whether it is complete. A journal with a gap would lead to a wrong state,
    /// so none of it is copied then; the snapshot still has a useful odometer.
    private func copyState(from connection: borrowing SQLiteConnection, into database: inout Database)
        throws(StoreError)
        -> Bool
    {
        guard let tables = try? TrackerStateTables(connection), let rows = try? OutboxTable(connection),
            let snapshot = try? tables.snapshot()
        else { return false }
        try database.trackerStateTables.save(
            TrackerStateTables.Snapshot(ordinal: snapshot.ordinal, seq: 0, bytes: snapshot.bytes))
        guard let slots = try? tables.entries(), let inputs = try? rows.inputs(in: snapshot.seq + 1...Int64.max) else {
            return false
        }
        let entries = (slots + inputs.flatMap(CommitJournal.entries)).filter { $0.ordinal > snapshot.ordinal }
            .sorted { $0.ordinal < $1.ordinal }
        let isWhole = zip(entries, Int64(1)...).allSatisfy { $0.ordinal == snapshot.ordinal + $1 }
        guard isWhole else { return false }
        var journal = CommitJournal()
        for entry in entries { journal.append(entry) }
        try database.saveToJournalTable(journal)
        return true
    }

    private func open(isLogIgnored: Bool) -> SQLiteConnection? {
        if isLogIgnored { return Self.openIgnoringLog(path, on: files) }
        // Reading a log needs a lock that a read-only connection cannot take.
        guard let connection = try? SQLiteConnection(path: path, vfs: files.vfs) else { return nil }
        connection.setCheckpointOnClose(false)
        try? connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        return connection
    }

    private static func openIgnoringLog(_ path: String, on files: StoreFileSystem) -> SQLiteConnection? {
        let digits = Array("0123456789ABCDEF".utf8)
        var address = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                address.append(byte)
            default: address += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        let uri = String(decoding: address, as: UTF8.self) + "?immutable=1"
        return try? SQLiteConnection(path: uri, vfs: files.vfs, isReadOnly: true)
    }

    private static func epochIdentity(_ connection: borrowing SQLiteConnection) -> EpochIdentity? {
        guard let tables = try? MetadataTables(connection), let identities = try? tables.epochIdentity() else {
            return nil
        }
        return identities
    }
}
