import OdographCivilTime
import OdographSQLite
import OdographWire

/// The statements to the broker about the numbers of a database, and what others that it retains show.
extension Database {
    /// The number of records that one transaction renumbers.
    private static let renumberingBatch = 256

    /// Returns the announcement that must be published before a record of the present epoch. It is on the disk.
    /// Its records may be published after ``SequenceAllocator/permitAnnounced(used:)``.
    mutating func announceNumbers() throws(StoreError) -> NumberAnnouncement {
        if counters.usedThroughSeq > sequenceAllocator?.publishableThrough ?? 0 { try sequenceAllocator?.announce() }
        return announcement
    }

    /// The newest announcement of the present epoch.
    var announcement: NumberAnnouncement {
        sequenceAllocator?.reservation.announcement ?? SequenceAllocator.announcement(inMemory: counters)
    }

    /// Returns what an announcement on the topic of this device shows.
    borrowing func finding(
        about other: NumberAnnouncement, isFirst: Bool
    ) throws(StoreError) -> NumberAnnouncement.Finding {
        announcement.finding(
            about: other, ownEpochs: try DeliveryTables.epochs(connection).keys, isFirst: isFirst)
    }

    /// Returns whether evidence of others may begin a new epoch now, and notes what it does.
    mutating func permit(_ renumbering: Renumbering, at now: Timestamp) throws(StoreError) -> Bool {
        var renewals =
            try metadataTables.document(EpochRenewals.documentName).map { EpochRenewals(document: $0) }
            ?? EpochRenewals()
        guard renewals.begin(at: now) else { return false }
        try transaction { database throws(StoreError) in
            try database.metadataTables.saveDocument(EpochRenewals.documentName, renewals.document)
            try database.metadataTables.saveDocument(Renumbering.documentName, renumbering.document)
            database.counters.renumbering = renumbering
        }
        return true
    }

    /// Gives records of an earlier epoch, which were never published, numbers of the present one. After a kill or an
    /// error the next call goes on with the rest.
    ///
    /// - Parameter payload: Returns the payload with another identity; nil for one that cannot be read, which stays as
    ///   it is.
    mutating func renumberRecords(
        at now: Timestamp, payload: (StoredRecord, RecordIdentity) -> RecordPayload?
    ) throws(StoreError) {
        guard let renumbering = counters.renumbering else { return }
        try name(counters.pendingGap, at: now)
        let epoch = renumbering.epoch
        var after = RecordKey(epoch: epoch, seq: renumbering.published)
        while true {
            var records: [StoredRecord] = []
            try salvaged.forEach(after: after) { record throws(StoreError) in
                if record.epoch == epoch { records.append(record) }
                return record.epoch == epoch && records.count < Self.renumberingBatch
            }
            guard let end = records.last?.key else { break }
            after = end
            try reserveNumbers(through: counters.usedThroughSeq + Int64(records.count))
            try transaction { database throws(StoreError) in
                var carried = CommitJournal()
                for record in records {
                    // After a gap that is pending.
                    let identity = database.counters.epochIdentity.identity(
                        forSeq: database.counters.usedThroughSeq + 1)
                    guard let payload = payload(record, identity), try database.salvaged.delete(record.key) else {
                        continue
                    }
                    let renumbered = StoredRecord(
                        epoch: identity.epoch, seq: identity.seq, kind: record.kind, timestamp: record.timestamp,
                        payload: payload.bytes)
                    try database.append(renumbered, into: &carried)
                    database.counters.salvagedCount -= 1
                    database.delivery?.rename(record.key, to: renumbered.key)
                }
                try database.saveToJournalTable(carried)
            }
        }
        try transaction { database throws(StoreError) in
            // A start in between has begun the epoch without knowing why.
            renumbering.addShared(to: &database.counters.ledger, at: now)
            try database.noteOwnEpoch(epoch, through: renumbering.through)
            try database.metadataTables.removeDocument(Renumbering.documentName)
            database.counters.renumbering = nil
        }
    }
}
