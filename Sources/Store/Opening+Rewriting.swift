import CivilTime

extension Opening {
    /// Writes a complete copy of an open database to the path, with its epoch and its numbers, and opens it.
    ///
    /// The copy is made beside the path and takes its name by a rename once it is on the disk. Whenever that is
    /// interrupted, the next opening finds the old file, or the complete copy.
    ///
    /// - Parameters:
    ///   - source: The open database, in memory or in a file, which need not have a name any more.
    ///   - older: The database that is at the path and goes into the copy: what it holds is older than all of the
    ///     source's. Nil for none.
    ///   - snapshot: The tracker's state, in place of the source's. Nil for the source's.
    ///   - marks: By what the source's own files are known; they are not kept.
    ///   - asidePath: Gets the new path of a file that had the path and is neither the source's nor in the copy.
    /// - Returns: The copy.
    func rewrite(
        _ source: borrowing Vault, joining older: consuming Vault?, snapshot: [UInt8]?, marks: FileMarks?,
        asidePath: inout String?
    ) throws(StoreError) -> Vault {
        let unfinished = Self.unfinishedPath(of: path)
        let isJoined = older != nil
        do {
            try files.makeFolder(of: path)
            files.removeDatabase(unfinished)
            try files.makePrivateFile(unfinished)
            try source.connection.copy(to: unfinished)
            try join(older, snapshot: snapshot, into: unfinished, as: source.counters.identities)
            try saveRecord(of: source)
        } catch {
            files.removeDatabase(unfinished)
            throw error.located(at: path)
        }
        guard (try? files.operations.synchronize(unfinished)) != nil else {
            files.removeDatabase(unfinished)
            throw .unusable(path: path, reason: "a new database cannot be written to the disk")
        }
        let aside = try clearPath(marks: marks)
        guard files.renameDatabase(unfinished, to: path) else {
            throw .unusable(path: path, reason: "the new database \(unfinished) cannot be renamed to it")
        }
        var whole = self
        // It was just written: nothing of it has to be looked through later.
        whole.options.wholeCheckBytes = .max
        var vault = try whole.openAsItIs(isNew: false)
        vault.acknowledgements = source.acknowledgements
        if isJoined, let aside { files.removeDatabase(aside) } else { asidePath = aside }
        return vault
    }

    /// Writes the record of the source's numbers, before the copy takes the database's name: the copy goes on with
    /// them.
    private func saveRecord(of source: borrowing Vault) throws(StoreError) {
        var file = NumberFile(besideDatabase: path, on: files)
        let known = try file.load().record
        var record = NumberRecord.beginning(source.counters.identities)
        record.committedThrough = source.counters.newestSeq
        record.reservedThrough = max(source.counters.newestSeq, source.counters.usedThrough)
        // An attempt to open the file may have begun an epoch: nobody orders records by one of which no number was ever
        // used.
        if let known, !known.isUnused { record.latestEpoch = max(record.latestEpoch, known.latestEpoch) }
        try file.save(record)
    }

    private func join(
        _ older: consuming Vault?, snapshot: [UInt8]?, into unfinished: String, as identities: RecordIdentities
    ) throws(StoreError) {
        guard older != nil || snapshot != nil else { return }
        let connection = try Connection(path: unfinished, vfs: files.vfs)
        var roomy = options
        roomy.maximumBytes = .max
        try connection.configure(roomy)
        var vault = try Vault.over(
            connection, path: unfinished, options: options, firstIdentities: identities, now: now)
        if let older {
            try vault.transaction { vault throws(StoreError) in try Vault.copy(older, into: &vault) }
        }
        guard let snapshot else { return }
        try vault.transaction { vault throws(StoreError) in
            try vault.stateTables.save(
                StateTables.Snapshot(ordinal: vault.counters.ordinal, seq: vault.counters.newestSeq, bytes: snapshot))
        }
    }

    /// Frees the path: the source's own files go, since they are in the copy; any other file is put aside.
    ///
    /// - Returns: The new path of a file that had the database's name.
    private func clearPath(marks: FileMarks?) throws(StoreError) -> String? {
        let aside = files.asidePath(for: path, at: now)
        for companion in FileSystem.companions where files.exists(path + companion) {
            if marks?.include(path + companion) == true {
                try? files.operations.remove(path + companion)
            } else {
                try? files.operations.rename(path + companion, to: aside + companion)
            }
        }
        // A rename over the source's own file replaces it in one step.
        guard files.exists(path), marks?.include(path) != true else { return nil }
        do {
            try files.operations.rename(path, to: aside)
        } catch {
            throw .unusable(path: path, reason: "what is there now cannot be renamed to \(aside): \(error)")
        }
        return aside
    }
}

extension Vault {
    /// Copies what another database has and this one has not: its records with their identities, its timeline, its
    /// documents and its ledger. Of two documents of a name, the one that is here stays.
    static func copy(_ older: borrowing Vault, into vault: inout Vault) throws(StoreError) {
        func take(_ record: StoredRecord) throws(StoreError) -> Bool {
            if try vault.salvaged.insert(record) { vault.counters.salvagedCount += 1 }
            return true
        }
        try older.salvaged.forEach(after: RecordKey(epoch: .min, seq: .min)) { record throws(StoreError) in
            try take(record)
        }
        try older.outbox.forEach(after: 0) { record throws(StoreError) in try take(record) }
        try older.timeline.forEach { (key, payload) throws(StoreError) in
            try vault.timeline.save(key, payload: payload, totals: &vault.counters.timeline)
            return true
        }
        try vault.trimTimeline()
        let known = try vault.sideTables.documents()
        for (name, bytes) in try older.sideTables.documents() where known[name] == nil {
            try vault.sideTables.saveDocument(name, bytes)
        }
        var ledger = older.counters.ledger
        for entry in vault.counters.ledger.entries { ledger.add(entry) }
        vault.counters.ledger = ledger
    }
}
