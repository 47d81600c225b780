import OdographCivilTime
import OdographSQLite
import OdographWire

extension DatabaseOpener {
    /// Writes a complete copy of an open database to the path, with its epoch and sequence numbers, and opens it.
    ///
    /// The copy is written beside the path and renamed once it is on the disk. After an interruption, the next start
    /// finds either the old file or the complete copy.
    ///
    /// - Parameters:
    ///   - source: The open database, in memory or in a file that may no longer have a name.
    ///   - older: The database at the path, merged into the copy as older than the source. Nil for none.
    ///   - snapshot: The tracker's state. Nil for that of the source.
    ///   - ownFiles: The identities of the source's own files, which are deleted.
    ///   - asidePath: Receives the new path of a file that had the path and is neither the source nor merged.
    /// - Returns: The copy, opened.
    func rewrite(
        _ source: borrowing Database, merging older: consuming Database?, snapshot: [UInt8]?,
        ownFiles: OpenFileIdentities?,
        asidePath: inout String?
    ) throws(StoreError) -> Database {
        let unfinished = Self.unfinishedPath(of: path)
        let isJoined = older != nil
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let former = try file.load().reservation
        do {
            try files.makeFolder(of: path)
            files.removeDatabase(unfinished)
            try files.makePrivateFile(unfinished)
            try source.connection.copy(to: unfinished)
            try merge(older, snapshot: snapshot, into: unfinished, as: source.counters.epochIdentity)
        } catch {
            files.removeDatabase(unfinished)
            throw error.withPath(path)
        }
        do throws(StoreError) {
            try saveReservation(of: source)
            guard (try? files.operations.synchronize(unfinished)) != nil else {
                throw .unusable(path: path, reason: "a new database cannot be written to the disk")
            }
        } catch {
            files.removeDatabase(unfinished)
            reinstateReservation(of: source, former: former)
            throw error.withPath(path)
        }
        var isRenamed = false
        do throws(StoreError) {
            let aside = try clearPath(ownFiles: ownFiles)
            guard files.renameDatabase(unfinished, to: path) else {
                throw .unusable(path: path, reason: "the new database \(unfinished) cannot be renamed to it")
            }
            isRenamed = true
            var whole = self
            // The copy was just written: it is checked completely now, not later.
            whole.options.fullCheckMaximumBytes = .max
            var database = try whole.openInPlace(isNew: false)
            database.pendingAcknowledgements = source.pendingAcknowledgements
            if isJoined, let aside { files.removeDatabase(aside) } else { asidePath = aside }
            return database
        } catch {
            reinstateReservation(of: source, former: isRenamed ? nil : former)
            throw error
        }
    }

    /// Writes a reservation after an error: the source goes on with its numbers, so that a later opening of the copy
    /// must not continue where the copy ends.
    ///
    /// - Parameter former: The reservation of the database that is at the path; nil if that is the copy.
    private func reinstateReservation(of source: borrowing Database, former: SequenceReservation?) {
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let present = (try? file.load())?.reservation
        guard var record = source.sequenceAllocator?.reservation ?? former ?? present else { return }
        if source.sequenceAllocator == nil {
            // Without a file of its own the source reserves nothing: the next database begins another epoch.
            record.latestEpoch = max(record.latestEpoch, source.counters.epochIdentity.epoch + 1)
        }
        // If it cannot be written either, the numbers of the copy are as they were.
        try? file.save(record)
    }

    /// Writes the reservation of the source, whose sequence numbers the copy continues, before the copy is renamed.
    private func saveReservation(of source: borrowing Database) throws(StoreError) {
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let known = try file.load().reservation
        var record = SequenceReservation.initial(source.counters.epochIdentity)
        record.committedThrough = source.counters.newestSeq
        record.reservedThrough = max(source.counters.newestSeq, source.counters.usedThroughSeq)
        (record.announcedThrough, record.announcementID) = (source.announcement.through, source.announcement.id)
        // An attempt to open the file may have begun an epoch. Without a used number it does not affect the order.
        if let known, !known.isUnused { record.latestEpoch = max(record.latestEpoch, known.latestEpoch) }
        try file.save(record)
    }

    private func merge(
        _ older: consuming Database?, snapshot: [UInt8]?, into unfinished: String, as identities: EpochIdentity
    ) throws(StoreError) {
        guard older != nil || snapshot != nil else { return }
        let connection = try SQLiteConnection(path: unfinished, vfs: files.vfs)
        var roomy = options
        roomy.maximumBytes = .max
        try connection.configure(roomy)
        var database = try Database.wrapping(
            connection, path: unfinished, options: options, initialEpochIdentity: identities, now: now)
        if let older {
            try database.transaction { database throws(StoreError) in try Database.merge(older, into: &database) }
        }
        guard let snapshot else { return }
        try database.transaction { database throws(StoreError) in
            try database.trackerStateTables.save(
                TrackerStateTables.Snapshot(
                    ordinal: database.counters.journalOrdinal, seq: database.counters.newestSeq, bytes: snapshot))
        }
    }

    /// Frees the path: deletes the source's own files, which are in the copy, and renames any other file. Returns the
    /// new path of a file that had the database's name; nil for none.
    private func clearPath(ownFiles: OpenFileIdentities?) throws(StoreError) -> String? {
        let aside = files.asidePath(for: path, at: now)
        for companion in StoreFileSystem.companionSuffixes where files.operations.exists(path + companion) {
            if ownFiles?.contains(path + companion) == true {
                try? files.operations.remove(path + companion)
            } else {
                try? files.operations.rename(path + companion, to: aside + companion)
            }
        }
        // The later rename replaces the source's own file atomically.
        guard files.operations.exists(path), ownFiles?.contains(path) != true else { return nil }
        do {
            try files.operations.rename(path, to: aside)
        } catch {
            throw .unusable(path: path, reason: "the present file cannot be renamed to \(aside): \(error)")
        }
        return aside
    }
}

extension Database {
    /// Copies the data of another database that this one lacks: records with their identities, timeline, documents and
    /// ledger. If both have a document of the same name, this database's document stays.
    static func merge(_ older: borrowing Database, into database: inout Database) throws(StoreError) {
        let present = database.counters.epochIdentity.epoch
        func take(_ record: StoredRecord) throws(StoreError) -> Bool {
            // A copy of this database that an error has left at the path: its records are here, or delivered since.
            guard record.epoch != present else { return true }
            if try database.salvaged.insert(record, payload: PayloadCompression.compressed(record.payload)) {
                database.counters.salvagedCount += 1
            }
            return true
        }
        try older.salvaged.forEach(after: RecordKey(epoch: .min, seq: .min)) { record throws(StoreError) in
            try take(record)
        }
        try older.outbox.forEach(after: 0) { record throws(StoreError) in try take(record) }
        try older.timeline.forEach { (key, payload) throws(StoreError) in
            try database.timeline.save(key, payload: payload, totals: &database.counters.timeline)
            return true
        }
        try database.trimTimeline()
        let known = try database.metadataTables.documents()
        for (name, bytes) in try older.metadataTables.documents() where known[name] == nil {
            try database.metadataTables.saveDocument(name, bytes)
        }
        try DeliveryTables.copy(from: older.connection, into: database.connection)
        if older.counters.epochIdentity.epoch != present {
            try database.noteOwnEpoch(older.counters.epochIdentity.epoch, through: older.counters.usedThroughSeq)
        }
        var ledger = older.counters.completeLedger
        for entry in database.counters.ledger.entries where !ledger.entries.contains(entry) { ledger.add(entry) }
        database.counters.ledger = ledger
    }
}
