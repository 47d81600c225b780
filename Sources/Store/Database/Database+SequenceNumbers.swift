import OdographCivilTime
import OdographSQLite
import OdographWire

/// The sequence numbers of a database's records.
extension Database {
    /// Reserves sequence numbers up to this one, before a record with it is stored.
    mutating func reserveNumbers(through seq: Int64) throws(StoreError) {
        guard seq > counters.usedThroughSeq else { return }
        memoryReservation?.reserve(through: seq)
        // An open database has a log with at least a header, even if the file was deleted since.
        let logBytes = max(options.files.size(of: path + "-wal"), WriteAheadLog.headerBytes)
        // Until the ledger contains them, numbers that are possibly lost must not be reported as never assigned.
        let isDoubtful = counters.pendingGap?.reason == .possiblyLost
        try sequenceAllocator?.reserve(
            through: seq, isDurable: options.synchronous == .full && !isDoubtful,
            logBytes: min(logBytes, options.walPreallocationBytes),
            bootID: isDoubtful ? nil : options.files.operations.bootID)
    }

    /// Reserves numbers before the first change of a run. From then on the reservation shows whether the write-ahead
    /// log was lost, even if it only contains a document or the tracker's state.
    mutating func reserveFirstNumbers() throws(StoreError) {
        guard let sequenceAllocator, !sequenceAllocator.isBlockReserved else { return }
        try reserveNumbers(through: counters.usedThroughSeq + 1)
    }

    /// Releases the unused reserved numbers if everything committed is safe on the disk.
    borrowing func closeSequenceAllocator() {
        memoryReservation?.close(newest: counters.newestSeq)
        guard let sequenceAllocator, counters.pendingGap == nil else { return }
        if options.synchronous != .full {
            let isCopied = try? connection.prepare("PRAGMA wal_checkpoint(FULL)").first { row in
                row.integer(0) == 0 && row.integer(1) == row.integer(2)
            }
            guard isCopied == true else { return }
        }
        sequenceAllocator.close(newest: counters.newestSeq)
    }

    /// Leaves out the numbers of records that were not stored, before the database is closed. If the reservation cannot
    /// be written, it stays as it is: then at least the reserved numbers are a gap.
    mutating func leaveOutNumbers(_ count: Int) {
        try? sequenceAllocator?.leaveOut(through: counters.usedThroughSeq + Int64(count))
        sequenceAllocator = nil
    }

    /// Returns the numbers before the next stored record.
    /// - Parameter dropped: The number of records of each kind that were dropped before they were stored.
    borrowing func numbersBeforeRecords(dropped: [RecordKind: Int], at now: Timestamp) -> NumbersBefore {
        NumbersBefore(counters, dropped: dropped, isNamed: delivery != nil, at: now)
    }

    /// Begins a new epoch in a database that has another. Undelivered records keep their epoch and numbers.
    ///
    /// - Parameters:
    ///   - reserved: The last reserved number of the former epoch.
    ///   - unused: The entry for the numbers of the former epoch that are reserved and get no record; nil for none.
    mutating func beginEpoch(
        _ identities: EpochIdentity, formerlyReservedThrough reserved: Int64, unused: LedgerEntry? = nil,
        at now: Timestamp
    ) throws(StoreError) {
        let former = (epoch: counters.epochIdentity.epoch, last: max(reserved, counters.usedThroughSeq))
        let acknowledged = pendingAcknowledgements.keys(currentEpoch: counters.epochIdentity.epoch)
        // The moved records take a little more space, for which none of them may be dropped.
        try connection.execute("PRAGMA max_page_count = \(Int32.max - 1)")
        defer {
            try? connection.execute("PRAGMA max_page_count = \(options.maximumBytes / SQLiteConnection.pageBytes)")
        }
        try transaction { database throws(StoreError) in
            let snapshot = try database.trackerStateTables.snapshot()
            var carried = CommitJournal()
            for inputs in try database.outbox.inputs(in: (snapshot?.seq ?? 0) + 1...Int64.max) {
                carried.append(encoded: inputs)
            }
            try database.saveToJournalTable(carried)
            if var snapshot {
                snapshot.seq = 0
                try database.trackerStateTables.save(snapshot)
            }
            try database.moveOutboxToSalvaged()
            try database.metadataTables.saveEpochIdentity(identities, at: now)
            try database.noteOwnEpoch(former.epoch, through: former.last)
            database.counters.epochIdentity = identities
            database.counters.newestSeq = 0
            database.counters.tombstoneSeq = nil
            database.counters.outboxCount = 0
            database.counters.salvagedCount = try database.salvaged.count()
            database.counters.snapshotSeq = 0
            database.counters.thinnedThroughSeq = 0
            database.counters.addToLedger(unused.map { [$0] } ?? [])
        }
        pendingAcknowledgements.removeAll()
        for key in acknowledged { pendingAcknowledgements.insert(key, currentEpoch: identities.epoch) }
    }

    /// Notes the last number of an earlier epoch of this device, for which the agent continues to answer.
    borrowing func noteOwnEpoch(_ epoch: Int64, through last: Int64) throws(StoreError) {
        try DeliveryTables.noteEpoch(epoch, through: last, in: connection)
    }

    /// Moves the records of the outbox to `salvaged` in batches: each uses the pages that the previous one freed.
    private borrowing func moveOutboxToSalvaged() throws(StoreError) {
        let end = try connection.prepare("SELECT max(seq) FROM (SELECT seq FROM outbox ORDER BY seq LIMIT 256)")
        let copy = try connection.prepare(
            """
            INSERT OR IGNORE INTO salvaged (epoch, seq, kind, timestamp, payload, checksum)
            SELECT epoch, seq, kind, timestamp, payload, checksum FROM outbox WHERE seq <= ?1 AND payload IS NOT NULL
            """)
        let delete = try connection.prepare("DELETE FROM outbox WHERE seq <= ?1")
        while let last = try end.firstInteger() {
            try copy.run(.integer(last))
            try delete.run(.integer(last))
        }
    }
}
