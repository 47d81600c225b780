import OdographSQLite

/// The tables of the tracker's state: `snapshot`, and `journal` for entries that no row of the outbox contains.
///
/// The rows of both have a page each and are overwritten in place. That changes one page for each row. Deleting and
/// inserting would also change the tree, the free list and the first page. The snapshot's ordinal marks obsolete rows.
struct TrackerStateTables: ~Copyable {
    /// The bytes that fit into a page in addition to the row's other contents.
    static let rowBytes = 960
    /// The bytes of the numbers before a snapshot.
    private static let snapshotHeaderBytes = 24

    private let updateSlot: SQLiteStatement
    private let insertSlot: SQLiteStatement
    private let readSlots: SQLiteStatement
    private let updatePart: SQLiteStatement
    private let insertPart: SQLiteStatement
    private let readParts: SQLiteStatement

    /// Writes entries into a slot, padded with zeros to a constant length. A row of constant length is overwritten in
    /// place. If it shrank and grew, SQLite could merge and split its page.
    borrowing func saveEntries(_ entries: [UInt8], slot: Int64) throws(StoreError) {
        let padding = max(Self.rowBytes - entries.count, 0)
        let row = entries + [UInt8](repeating: 0, count: padding)
        if try updateSlot.runWithChecksum(.integer(slot), .blob(row)) == 0 {
            try insertSlot.runWithChecksum(.integer(slot), .blob(row))
        }
    }

    /// Returns all entries in the slots, including obsolete ones.
    borrowing func entries() throws(StoreError) -> [CommitJournal.Entry] {
        var entries: [CommitJournal.Entry] = []
        try readSlots.forEach { row throws(StoreError) in
            guard row.isIntact() else { throw row.damageError("slot \(row.integer(0)) of the journal") }
            entries += CommitJournal.entries(in: row.bytes(1) ?? [])
            return true
        }
        return entries
    }

    /// Returns the number of slots up to the last one with an entry that is still needed.
    borrowing func slotCount(after ordinal: Int64) throws(StoreError) -> Int64 {
        var count: Int64 = 0
        var slot: Int64 = 0
        try readSlots.forEach { row throws(StoreError) in
            slot += 1
            if CommitJournal.entries(in: row.bytes(1) ?? []).contains(where: { $0.ordinal > ordinal }) { count = slot }
            return true
        }
        return count
    }

    /// A snapshot of the tracker's state.
    struct Snapshot {
        /// The last journal entry that the snapshot includes.
        var ordinal: Int64
        /// The newest record at that time: the journal entries in rows up to it are obsolete.
        var seq: Int64
        var bytes: [UInt8]
    }

    borrowing func save(_ snapshot: Snapshot) throws(StoreError) {
        var content: [UInt8] = []
        content.reserveCapacity(snapshot.bytes.count + Self.snapshotHeaderBytes)
        for number in [snapshot.ordinal, snapshot.seq, Int64(snapshot.bytes.count)] {
            withUnsafeBytes(of: number.littleEndian) { content += $0 }
        }
        content += snapshot.bytes
        var part: Int64 = 0
        var rest = content[...]
        while !rest.isEmpty {
            let bytes = Array(rest.prefix(Self.rowBytes))
            if try updatePart.runWithChecksum(.integer(part), .blob(bytes)) == 0 {
                try insertPart.runWithChecksum(.integer(part), .blob([UInt8](repeating: 0, count: Self.rowBytes)))
                try updatePart.runWithChecksum(.integer(part), .blob(bytes))
            }
            rest = rest.dropFirst(Self.rowBytes)
            part += 1
        }
    }

    /// Returns the newest snapshot. Nil if there is none.
    borrowing func snapshot() throws(StoreError) -> Snapshot? {
        var content: [UInt8] = []
        var wanted = Self.snapshotHeaderBytes
        try readParts.forEach { row throws(StoreError) in
            guard row.isIntact() else { throw row.damageError("part \(row.integer(0)) of the tracker's state") }
            content += row.bytes(1) ?? []
            if content.count >= Self.snapshotHeaderBytes, wanted == Self.snapshotHeaderBytes {
                wanted = Self.snapshotHeaderBytes + Int(min(max(0, Self.number(2, in: content)), 1 << 40))
            }
            return content.count < wanted
        }
        guard content.count >= Self.snapshotHeaderBytes, content.count >= wanted else { return nil }
        return Snapshot(
            ordinal: Self.number(0, in: content), seq: Self.number(1, in: content),
            bytes: Array(content[Self.snapshotHeaderBytes..<wanted]))
    }

    private static func number(_ index: Int, in content: [UInt8]) -> Int64 {
        content[index * 8..<index * 8 + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension TrackerStateTables {
    // An extension keeps the memberwise initializer, which leaves no partly initialized value with statements to free.
    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        try self.init(
            updateSlot: connection.prepare(
                "UPDATE journal SET entries = ?2, checksum = ?3 WHERE slot = ?1"),
            insertSlot: connection.prepare(
                "INSERT INTO journal (slot, entries, checksum) VALUES (?1, ?2, ?3)"),
            readSlots: connection.prepare("SELECT slot, entries, checksum FROM journal ORDER BY slot"),
            updatePart: connection.prepare(
                "UPDATE snapshot SET bytes = ?2, checksum = ?3 WHERE part = ?1"),
            insertPart: connection.prepare(
                "INSERT INTO snapshot (part, bytes, checksum) VALUES (?1, ?2, ?3)"),
            readParts: connection.prepare("SELECT part, bytes, checksum FROM snapshot ORDER BY part"))
    }
}
