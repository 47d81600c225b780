import Glibc
import OdographCivilTime
import OdographSQLite
import OdographWire

/// Opens a database: in place, or, if it cannot be used, by salvaging its data into a new one.
///
/// A new database is completed beside the damaged one and then renamed, so an interruption at any time is safe: the
/// next start begins again or finds it complete.
struct DatabaseOpener {
    let path: String
    var options: StoreOptions
    var now: Timestamp
    /// The epoch of the run in memory that moves into the file; nil if there is none.
    var memoryEpoch: Int64?

    private var unfinishedPath: String { Self.unfinishedPath(of: path) }
    var files: StoreFileSystem { options.files }

    /// Returns the path at which a new database is written before it is renamed.
    static func unfinishedPath(of path: String) -> String { path + ".new" }

    /// Returns whether there is a database, possibly one that is not renamed yet.
    static func hasDatabase(at path: String, on files: StoreFileSystem) -> Bool {
        [path, unfinishedPath(of: path)].contains(where: files.operations.exists)
    }

    /// - Parameter putsAsideUnreadable: Whether a database that the disk cannot read is put aside like a damaged one.
    /// - Returns: The database, with a report of the findings.
    func open(putsAsideUnreadable: Bool = false) throws(StoreError) -> Database {
        try files.makeFolder(of: path)
        if !files.operations.exists(path), files.operations.exists(unfinishedPath) {
            _ = files.renameDatabase(unfinishedPath, to: path)
        }
        let isNew = !files.operations.exists(path)
        // A permission error of SQLite is no damage, and no reason for a new database.
        guard isNew || files.operations.isAccessible(path) else {
            throw .unusable(
                path: path,
                reason: "this user cannot read and write it; run this as its owner, or make the agent's user the owner")
        }
        do {
            return try openInPlace(isNew: isNew)
        } catch {
            guard !isNew, Self.isReasonToPutAside(error) || (putsAsideUnreadable && error.isDiskError) else {
                throw error
            }
            return try recreate(because: error)
        }
    }

    /// Opens a database in memory.
    ///
    /// - Parameter identities: The epoch of its records. Nil for epoch 1 with a random seed.
    func openInMemory(as identities: EpochIdentity? = nil) throws(StoreError) -> Database {
        let connection = try SQLiteConnection(path: ":memory:", vfs: files.vfs)
        try connection.configure(options)
        try StoreSchema.create(in: connection)
        var database = try Database.wrapping(
            connection, path: "memory", options: options,
            initialEpochIdentity: identities ?? EpochIdentity(epoch: 1, seed: .random()), now: now)
        database.report.isNew = true
        return database
    }

    /// - Parameter known: The finding of a previous opening, which has emptied the write-ahead log.
    func openInPlace(
        isNew: Bool, knownInconsistency known: OpeningReport.Inconsistency? = nil
    ) throws(StoreError) -> Database {
        try files.makePrivateFile(path)
        let seedOfFile = isNew ? nil : Salvage.epochIdentityIgnoringLog(of: path, on: files)
        let log = logState()
        let connection = try SQLiteConnection(path: path, vfs: files.vfs)
        connection.setCheckpointOnClose(false)
        try connection.configure(options)
        connection.persistWriteAheadLog()
        let isLarge = !isNew && files.size(of: path) > options.fullCheckMaximumBytes
        if !isNew, !isLarge { try connection.checkIntegrity(path: path) }
        try connection.checkOwnership(path: path)
        // From here on the database is locked, and with it the reservation file.
        let hasTables = try StoreSchema.isPresent(in: connection, path: path)
        let found = try inspect(connection, hasTables: hasTables, log: log)
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let content = try file.load()
        // The reservation is written before the database: if they agree, the log belongs to the database.
        if let seedOfFile, seedOfFile != found?.epochIdentity,
            content.reservation?.epochIdentity != found?.epochIdentity
        {
            throw .damaged(path: path, reason: "the write-ahead log beside it belongs to another database")
        }
        if log.end != nil, log.end != .whole {
            let continuation = SequenceDecision(of: found, with: content)
            try resetLog(of: connection, file, content.reservation, isProof: continuation.isProven)
            return try openInPlace(isNew: isNew, knownInconsistency: continuation.inconsistency)
        }
        let numbering = try decideSequence(found, file, content)
        if !hasTables { try StoreSchema.create(in: connection) }
        var database = try Database.wrapping(
            connection, path: path, options: options, initialEpochIdentity: numbering.reservation.epochIdentity,
            now: now, isLarge: isLarge)
        if log.end == nil { try ensureLogHeader(in: &database) }
        try apply(numbering, numbering.decision.inconsistency ?? known, to: &database)
        database.connection.setCheckpointOnClose(true)
        if isNew || !hasTables || database.counters.epochIdentity != seedOfFile {
            // The epoch must be in the file itself, because `seedOfFile` is read without the log.
            try database.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            files.synchronizeFolder(of: path)
        }
        // Later writes to the log then change no metadata. An optimization, so errors are ignored.
        try? files.operations.grow(path + "-wal", toBytes: options.walPreallocationBytes)
        database.report.isNew = isNew || !hasTables
        return database
    }

    /// Returns the state of the write-ahead log.
    private func logState() -> SequenceDecision.LogState {
        let bytes = (try? files.operations.read(path + "-wal")) ?? []
        return SequenceDecision.LogState(bytes: Int64(bytes.count), end: WriteAheadLog(bytes)?.end)
    }

    /// Writes a transaction to a log without a header: while sequence numbers are reserved, a log without a header
    /// counts as lost.
    private func ensureLogHeader(in database: inout Database) throws(StoreError) {
        guard logState().end == nil else { return }
        try database.transaction { database throws(StoreError) in
            try database.metadataTables.saveEpochIdentity(database.counters.epochIdentity, at: now)
        }
    }

    /// Puts aside a database that is not open, and creates a new one with its readable data.
    func recreate(because reason: StoreError) throws(StoreError) -> Database {
        let salvage = Salvage(path: path, files: files)
        var damage = OpeningReport.Damage(
            asidePath: files.asidePath(for: path, at: now), reason: reason.description, salvagedCount: 0,
            oldEpoch: nil, isStateSalvaged: false)
        files.removeDatabase(unfinishedPath)
        var file = SequenceReservationFile(besideDatabase: path, on: files)
        let known = try file.load().reservation
        let identities: EpochIdentity
        do {
            let findings: Salvage.Findings
            (findings, identities) = try buildReplacement(from: salvage, because: reason, known)
            damage.salvagedCount = findings.count
            damage.oldEpoch = findings.epoch
            damage.isStateSalvaged = findings.isStateComplete
        } catch {
            // Without space for the salvaged data, the damaged file keeps its name until there is some.
            files.removeDatabase(unfinishedPath)
            throw error.withPath(path)
        }
        guard files.renameDatabase(path, to: damage.asidePath) else {
            files.removeDatabase(unfinishedPath)
            throw .unusable(
                path: path, reason: "it is damaged (\(reason)) and cannot be renamed to \(damage.asidePath)")
        }
        guard files.renameDatabase(unfinishedPath, to: path) else {
            throw .unusable(path: path, reason: "the new database \(unfinishedPath) cannot be renamed to it")
        }
        do throws(StoreError) {
            // Not before: if this is interrupted, the next salvage needs the reservation of the damaged database.
            try file.save(.initial(identities))
            var database = try openInPlace(isNew: false)
            database.report.isNew = true
            database.report.damage = damage
            if !damage.isStateSalvaged { database.report.lostRecords = OpeningReport.unknownLoss }
            return database
        } catch {
            // If the disk cannot read the new file, that says nothing about the old one: undo the renames.
            if files.renameDatabase(path, to: unfinishedPath), files.renameDatabase(damage.asidePath, to: path) {
                files.removeDatabase(unfinishedPath)
                if let known { try? file.save(known) }
            }
            throw error
        }
    }

    /// Creates the replacement of the damaged database. It is closed on return.
    ///
    /// - Parameter known: The reservation of the damaged database. Nil if there is none.
    /// - Returns: The findings, and the epoch of the replacement.
    private func buildReplacement(
        from salvage: borrowing Salvage, because reason: StoreError, _ known: SequenceReservation?
    ) throws(StoreError) -> (Salvage.Findings, EpochIdentity) {
        try files.makePrivateFile(unfinishedPath)
        let connection = try SQLiteConnection(path: unfinishedPath, vfs: files.vfs)
        var roomy = options
        roomy.maximumBytes = .max
        try connection.configure(roomy)
        try StoreSchema.create(in: connection)
        let found = salvage.inspect()
        let identities = newEpochIdentity(after: found.newestEpoch, known)
        var database = try Database.wrapping(
            connection, path: unfinishedPath, options: options, initialEpochIdentity: identities, now: now)
        let findings = try database.transaction { database throws(StoreError) in
            let findings = try salvage.copy(found, into: &database, at: now)
            if case .damaged = reason, let lost = findings.possiblyLostEntry(reservation: known, at: now) {
                database.counters.ledger.add(lost)
            }
            if let epoch = findings.epoch ?? known?.epochIdentity.epoch {
                let reserved = known?.epochIdentity.epoch == epoch ? known?.reservedThrough ?? 0 : 0
                try database.noteOwnEpoch(epoch, through: max(reserved, findings.readableRange?.upperBound ?? 0))
            }
            return findings
        }
        return (findings, identities)
    }

    /// Opens like ``open(putsAsideUnreadable:)``, but repeats after disk errors, since many are temporary, for up to
    /// `busyTimeoutMilliseconds`.
    func openWithRetry() throws(StoreError) -> Database {
        var waited = 0
        while true {
            do throws(StoreError) {
                return try open()
            } catch {
                guard error.isDiskError, waited < options.busyTimeoutMilliseconds else { throw error }
                let pause = min(max(waited, 25), 100, options.busyTimeoutMilliseconds - waited)
                usleep(UInt32(pause) * 1000)
                waited += pause
            }
        }
    }

    private static func isReasonToPutAside(_ error: StoreError) -> Bool {
        switch error {
        case .inUse, .diskFull, .unusable, .noPermission, .noRoomForCopy, .overQuota, .stateLost, .numbersChanged,
            .closed:
            false
        case .damaged, .otherSchema: true
        case .failed(_, _, let code, _):
            ![ResultCode.noMemory, ResultCode.readOnly, ResultCode.interrupted, ResultCode.inputOutput]
                .contains(code & 0xFF)
        }
    }
}

extension SQLiteConnection {
    /// Applies the settings of the store; they are based on measurements.
    borrowing func configure(_ options: StoreOptions) throws(StoreError) {
        setBusyTimeout(milliseconds: options.busyTimeoutMilliseconds)
        let frameBytes = Self.pageBytes + 24
        let maximumPages = min(options.maximumBytes / Self.pageBytes, Int(Int32.max) - 1)
        for setting in [
            "page_size = \(Self.pageBytes)", "locking_mode = EXCLUSIVE", "journal_mode = WAL",
            "synchronous = \(options.synchronous.rawValue)", "max_page_count = \(maximumPages)",
            "wal_autocheckpoint = \(options.walPreallocationBytes / frameBytes * 3 / 4)",
            "cache_size = -\(StoreOptions.cacheBytes / 1024)", "temp_store = MEMORY", "secure_delete = OFF",
            "cell_size_check = ON", "trusted_schema = OFF", "mmap_size = 0",
        ] {
            try execute("PRAGMA \(setting)")
        }
    }

    /// Verifies that the tables belong to this program: without a version there are none.
    borrowing func checkOwnership(path: String) throws(StoreError) {
        guard try firstInteger("PRAGMA user_version") == 0, try firstInteger("SELECT count(*) FROM sqlite_schema") != 0
        else {
            return
        }
        throw .damaged(path: path, reason: "it is the database of another program")
    }

    /// Verifies the structure of the file. Reads all of it.
    borrowing func checkIntegrity(path: String) throws(StoreError) {
        let answer = try prepare("PRAGMA quick_check(1)").first { row in row.text(0) } ?? ""
        guard answer == "ok" else {
            // The disk failed to read a page, which says nothing about the page's content.
            if let code = Self.errorCode(in: answer), code & 0xFF == ResultCode.inputOutput {
                throw .failed(path: path, operation: "checking", code: code, message: "disk I/O error")
            }
            throw .damaged(path: path, reason: answer.split(separator: "\n").joined(separator: " "))
        }
    }

    /// Returns the result code in the report of SQLite's check about a page that it could not read.
    private static func errorCode(in answer: String) -> Int32? {
        let words = answer.split(whereSeparator: { " \n".contains($0) })
        return words.last { $0.hasPrefix("code=") }.flatMap { Int32($0.dropFirst(5)) }
    }
}
