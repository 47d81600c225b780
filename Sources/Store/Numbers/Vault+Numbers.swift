import CivilTime

/// The numbers of a database's records.
extension Vault {
    /// Reserves numbers up to one, before a record that has it is stored.
    mutating func reserveNumbers(through seq: Int64) throws(StoreError) {
        guard seq > counters.usedThrough else { return }
        // An open database has a log with a header at least, also where somebody has deleted the file since.
        let logBytes = max(options.files.size(of: path + "-wal"), WriteAheadLog.headerBytes)
        // Until the ledger has them, numbers that are possibly lost must not look as if they were never assigned.
        let isDoubtful = counters.gap?.reason == .possiblyLost
        try numbers?.reserve(
            through: seq, isDurable: options.synchronous == .full && !isDoubtful,
            logBytes: min(logBytes, options.walGrowthBytes),
            systemRun: isDoubtful ? nil : options.files.operations.systemRun)
    }

    /// Reserves numbers before the first change of a run. From then on the record shows whether the write-ahead log was
    /// lost, also where no record was stored: a document or the state alone can be in it.
    mutating func reserveFirstNumbers() throws(StoreError) {
        guard let numbers, !numbers.isBlockReserved else { return }
        try reserveNumbers(through: counters.usedThrough + 1)
    }

    /// Gives back the reserved numbers where everything that was committed is on the disk for good.
    borrowing func closeNumbers() {
        guard let numbers, counters.gap == nil else { return }
        if options.synchronous != .full {
            var isCopied = false
            try? connection.prepare("PRAGMA wal_checkpoint(FULL)").forEach { row throws(StoreError) in
                isCopied = row.integer(0) == 0 && row.integer(1) == row.integer(2)
                return false
            }
            guard isCopied else { return }
        }
        numbers.close(newest: counters.newestSeq)
    }

    /// The ledger's entries for records that were dropped before they were stored: they get the next numbers.
    borrowing func entries(for dropped: [RecordKind: Int], at now: Timestamp) -> [LedgerEntry] {
        var through = counters.usedThrough
        return RecordKind.allCases.compactMap { kind in
            guard let count = dropped[kind], count > 0 else { return nil }
            defer { through += Int64(count) }
            return LedgerEntry(
                epoch: counters.identities.epoch, fromSeq: through + 1, toSeq: through + Int64(count), count: count,
                kind: kind, reason: .notStored, at: now)
        }
    }

    /// Enters the numbers that the next record leaves out.
    mutating func enterInLedger(_ entries: [LedgerEntry]) {
        if let gap = counters.gap {
            counters.ledger.add(gap)
            counters.gap = nil
        }
        for entry in entries { counters.ledger.add(entry) }
    }

    /// Begins an epoch in a database that has another. What is not delivered stays under the numbers that it has.
    mutating func beginEpoch(_ identities: RecordIdentities, at now: Timestamp) throws(StoreError) {
        let acknowledged = acknowledgements.keys(currentEpoch: counters.identities.epoch)
        // What is moved takes a little more room at the new place, and is not to be given up for that.
        try connection.execute("PRAGMA max_page_count = \(Int32.max - 1)")
        defer { try? connection.execute("PRAGMA max_page_count = \(options.maximumBytes / Connection.pageBytes)") }
        try transaction { vault throws(StoreError) in
            let snapshot = try vault.stateTables.snapshot()
            var carried = Journal()
            for inputs in try vault.outbox.inputs(in: (snapshot?.seq ?? 0) + 1...Int64.max) {
                carried.append(encoded: inputs)
            }
            try vault.saveInSlots(carried)
            if var snapshot {
                snapshot.seq = 0
                try vault.stateTables.save(snapshot)
            }
            try vault.moveOutbox()
            try vault.sideTables.begin(identities, at: now)
            vault.counters.identities = identities
            vault.counters.newestSeq = 0
            vault.counters.hollowSeq = nil
            vault.counters.outbox = Tally()
            vault.counters.salvagedCount = try vault.salvaged.count()
            vault.counters.snapshotSeq = 0
            vault.counters.thinnedThrough = 0
            vault.enterInLedger([])
        }
        acknowledgements.removeAll()
        for key in acknowledged { acknowledgements.insert(key, currentEpoch: identities.epoch) }
    }

    /// Moves the records of the outbox to those that keep their epoch, some at a time: the pages of the former are used
    /// for the next.
    private borrowing func moveOutbox() throws(StoreError) {
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
