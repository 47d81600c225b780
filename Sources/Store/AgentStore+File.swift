public import CivilTime

/// The file beneath the store: it can be unusable at the start, and it can be deleted or replaced at any time.
extension AgentStore {
    /// Whether the records are in memory only, because the file could not be used yet.
    public var isWaitingForFile: Bool {
        if case .temporaryMemory = storageMode { true } else { false }
    }

    /// Whether there is, or is to be, a file.
    public var hasFile: Bool {
        if case .memory = storageMode { false } else { true }
    }

    /// Looks whether the path still leads to the open database, its log and the record of its numbers. Where it does
    /// not, a complete new database is written there, with the same epoch and the same numbers, or the record alone; a
    /// file that was put there is kept under another name. Costs a few calls of the system where nothing has happened.
    ///
    /// - Returns: What has happened; nil for nothing.
    public func verifyFile(now: Timestamp) -> FileLossReport? {
        guard case .file(let marks) = storageMode, !isClosed,
            let loss = marks.loss ?? database.sequenceAllocator?.fileLoss
        else {
            return nil
        }
        opener.now = max(now, opener.now)
        var report = FileLossReport(path: opener.path, loss: loss)
        do throws(StoreError) {
            if loss.file == .sequenceReservation {
                report.asidePath = try rewriteReservationFile(after: loss)
            } else {
                switchDatabase(
                    to: try opener.rewrite(
                        database, merging: nil, snapshot: nil, ownFiles: marks, asidePath: &report.asidePath))
            }
        } catch {
            report.failure = error
        }
        return report
    }

    /// Tries again to open the file that could not be used, where the records are in memory because of that. Where it
    /// can be, it stays open until ``moveIntoFile(snapshot:now:)``, which has to follow.
    ///
    /// - Returns: What the file has of an earlier run; nil where there is no file yet, or nothing in it.
    /// - Throws: Why it cannot be used, as ``open(at:options:now:)`` does.
    public func reopenFile(now: Timestamp) throws(StoreError) -> StoreContents? {
        guard case .temporaryMemory(let diskErrors) = storageMode, !isClosed else { return nil }
        reopenedDatabase = nil
        opener.now = max(now, opener.now)
        guard files.exists(opener.path) || files.exists(DatabaseOpener.unfinishedPath(of: opener.path)) else {
            return nil
        }
        do throws(StoreError) {
            let file = try opener.open(putsAsideUnreadable: diskErrors >= Self.maximumConsecutiveDiskErrors)
            storageMode = .temporaryMemory(diskErrors: 0)
            if let damage = file.report.damage { onDamage?(damage, file.counters.epochIdentity.epoch) }
            let contents = try file.contents()
            let isEmpty =
                contents.snapshot == nil && contents.newestSeq == 0 && file.counters.salvagedCount == 0
                && contents.lastTimelineUpdate == nil
            reopenedDatabase = consume file
            return isEmpty ? nil : contents
        } catch {
            storageMode = .temporaryMemory(diskErrors: error.isDiskError ? diskErrors + 1 : 0)
            throw error
        }
    }

    /// Writes all that is in memory to the file, together with what the file has of an earlier run, and goes on there.
    ///
    /// The records keep their identities, and new ones go on with the numbers of the epoch in memory, or begin a later
    /// epoch where the record of the file's numbers knows one. Undelivered records of the file stay records of its
    /// epoch. Of two documents of a name the one in memory is kept.
    ///
    /// - Parameter snapshot: The tracker's state, in which what the file had is considered. Nil for the one in memory.
    /// - Throws: Nothing has changed then.
    public func moveIntoFile(snapshot: [UInt8]?, now: Timestamp) throws(StoreError) {
        guard case .temporaryMemory = storageMode, !isClosed else { return }
        opener.now = max(now, opener.now)
        let file = reopenedDatabase.take()
        var asidePath: String?
        switchDatabase(
            to: try opener.rewrite(
                database, merging: file, snapshot: snapshot, ownFiles: nil, asidePath: &asidePath))
    }

    /// Errors of the disk in a row, a look apart, after which a database is taken for unreadable, is put aside, and
    /// what can be read is salvaged: an error that passes must not cost a healthy file.
    private static let maximumConsecutiveDiskErrors = 6
}
