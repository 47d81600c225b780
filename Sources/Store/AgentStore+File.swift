public import CivilTime

/// The file beneath the store: it can be unusable at the start, and it can be deleted or replaced at any time.
extension AgentStore {
    /// Whether the records are in memory only, because the file could not be used yet.
    public var isWaitingForFile: Bool {
        if case .memoryForNow = place { true } else { false }
    }

    /// Whether there is, or is to be, a file.
    public var hasFile: Bool {
        if case .memory = place { false } else { true }
    }

    /// Looks whether the path still leads to the open database, its log and the record of its numbers. Where it does
    /// not, a complete new database is written there, with the same epoch and the same numbers, or the record alone; a
    /// file that was put there is kept under another name. Costs a few calls of the system where nothing has happened.
    ///
    /// - Returns: What has happened; nil for nothing.
    public func verifyFile(now: Timestamp) -> FileLoss? {
        guard case .file(let marks) = place, !isClosed, let loss = marks.loss ?? vault.numbers?.fileLoss else {
            return nil
        }
        opening.now = max(now, opening.now)
        var report = FileLoss(path: opening.path, loss: loss)
        do throws(StoreError) {
            if loss.file == .numbers {
                report.asidePath = try saveNumbersAgain(after: loss)
            } else {
                goOn(
                    in: try opening.rewrite(
                        vault, joining: nil, snapshot: nil, marks: marks, asidePath: &report.asidePath))
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
        guard case .memoryForNow(let diskErrors) = place, !isClosed else { return nil }
        reopened = nil
        opening.now = max(now, opening.now)
        guard files.exists(opening.path) || files.exists(Opening.unfinishedPath(of: opening.path)) else { return nil }
        do throws(StoreError) {
            let file = try opening.run(putsAsideUnreadable: diskErrors >= Self.patientDiskErrors)
            place = .memoryForNow(diskErrors: 0)
            if let damage = file.report.damage { onDamage?(damage, file.counters.identities.epoch) }
            let contents = try file.contents()
            let isEmpty =
                contents.snapshot == nil && contents.newestSeq == 0 && file.counters.salvagedCount == 0
                && contents.lastTimelineUpdate == nil
            reopened = consume file
            return isEmpty ? nil : contents
        } catch {
            place = .memoryForNow(diskErrors: error.isOfDisk ? diskErrors + 1 : 0)
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
        guard case .memoryForNow = place, !isClosed else { return }
        opening.now = max(now, opening.now)
        let file = reopened.take()
        var asidePath: String?
        goOn(
            in: try opening.rewrite(
                vault, joining: file, snapshot: snapshot, marks: nil, asidePath: &asidePath))
    }

    /// Errors of the disk in a row, a look apart, after which a database is taken for unreadable, is put aside, and
    /// what can be read is salvaged: an error that passes must not cost a healthy file.
    private static let patientDiskErrors = 6
}
