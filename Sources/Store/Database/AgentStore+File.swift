import OdographCivilTime
import OdographWire

/// The file of the store: it can be unusable at the start, and it can be deleted or replaced at any time.
extension AgentStore {
    /// Whether the records are only in memory because the file could not be used yet.
    package var isWaitingForFile: Bool {
        if case .temporaryMemory = storageMode { true } else { false }
    }

    /// Whether the store has a file, or will have one.
    package var hasFile: Bool {
        if case .memory = storageMode { false } else { true }
    }

    /// Verifies that the path still leads to the open database, its log and its sequence reservation file. If not, a
    /// complete new database with the same epoch and sequence numbers, or only the reservation file, is written there.
    /// A file that took the path is kept under another name. Costs a few system calls if nothing has happened.
    ///
    /// - Returns: The loss; nil if there is none.
    package func verifyFile(now: Timestamp) -> FileLossReport? {
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

    /// Tries again to open the file that could not be used. If it succeeds, the file stays open until
    /// ``moveIntoFile(snapshot:now:)``, which must follow.
    ///
    /// - Returns: The contents of an earlier run in the file; nil if there is no file yet, or it is empty.
    /// - Throws: The reason why it cannot be used, as ``open(at:options:now:)`` does.
    package func reopenFile(now: Timestamp) throws(StoreError) -> StoreContents? {
        guard case .temporaryMemory(let diskErrors) = storageMode, !isClosed else { return nil }
        reopenedDatabase = nil
        opener.now = max(now, opener.now)
        guard DatabaseOpener.hasDatabase(at: opener.path, on: files) else { return nil }
        opener.memoryEpoch = database.counters.epochIdentity.epoch
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

    /// Writes all data in memory to the file, together with the data of an earlier run in it, and continues there.
    ///
    /// The records keep their identities. New records continue the epoch in memory, or begin a later epoch if the
    /// reservation file contains one. Undelivered records of the file keep their epoch. If both have a document of the
    /// same name, the one in memory is kept.
    ///
    /// - Parameter snapshot: The tracker's state, merged with that of the file. Nil for the snapshot in memory.
    /// - Returns: The new path of a file that took the path since ``reopenFile(now:)``. Nil if there was none.
    /// - Throws: `StoreError`. Then the records are still in memory, and ``reopenFile(now:)`` must be called again.
    @discardableResult
    package func moveIntoFile(snapshot: [UInt8]?, now: Timestamp) throws(StoreError) -> String? {
        guard case .temporaryMemory = storageMode, !isClosed else { return nil }
        opener.now = max(now, opener.now)
        let file = reopenedDatabase.take()
        var asidePath: String?
        switchDatabase(
            to: try opener.rewrite(
                database, merging: file, snapshot: snapshot, ownFiles: nil, asidePath: &asidePath))
        return asidePath
    }

    /// The number of consecutive disk errors, one for each attempt, after which a database counts as unreadable, is put
    /// aside and salvaged. A temporary error must not cost a healthy file.
    private static let maximumConsecutiveDiskErrors = 6
}
