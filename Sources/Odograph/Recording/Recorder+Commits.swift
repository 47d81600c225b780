import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking

/// Commits: the pending records together with the state that produced them.
extension Recorder {
    /// The delay before a failed commit is tried again, seconds.
    private static let retrySeconds = 5.0

    package func commit() {
        if !isDatingUndatedFixes { checkStoreFile() }
        guard !isDatingUndatedFixes, let batch = pending.batch(extras: settings.extras, deviceID: deviceID) else {
            return
        }
        do {
            let snapshot =
                batch.needsSnapshot
                ? try StateSnapshot.encode(tracker.disclosedState, sourceOrdinal: sourceOrdinal) : nil
            let entry = InputJournalEntry(
                batch.inputJournal, sourceOrdinal: sourceOrdinal, odometerMeters: tracker.odometerMeters,
                odometerErrorMeters: tracker.odometerErrorMeters
            ).bytes
            let time = now().systemTime
            let stored = try store.assumeIsolated { store in
                try store.commit(
                    batch.records, dropped: batch.droppedCounts, journal: snapshot == nil ? entry : [],
                    snapshot: snapshot,
                    now: time)
            }
            pending.markCommitted(isSnapshot: snapshot != nil)
            if !broadcasts.isEmpty { broadcast(batch.trackerRecords, stored) }
            if !stored.isEmpty {
                lastRecordUptime = clock.now().uptimeMilliseconds
                onCommit(stored, capturedUptime)
            }
            if pending.hasFailed { handleCommitRecovery() }
            if !batch.droppedCounts.isEmpty, !stored.isEmpty { reportDropped(batch.droppedCounts) }
        } catch StoreError.stateLost where !batch.needsSnapshot {
            pending.needsSnapshot = true
            commit()
        } catch {
            handleCommitFailure(error)
        }
    }

    /// The capture time of the records in this commit, on the monotonic clock. nil if they are old.
    private var capturedUptime: Int64? {
        if areRecordsLate { return nil }
        return usesVirtualTime ? clock.now().uptimeMilliseconds : lastInputTime?.uptimeMilliseconds
    }

    private func broadcast(_ origins: [TrackerRecord], _ stored: [StoredRecord]) {
        for (origin, record) in zip(origins, stored) {
            let identity = store.epochIdentity.identity(forSeq: record.seq)
            switch origin {
            case .location(let location):
                broadcasts.locations.send(LocationEvent(location, identity: identity, extras: settings.extras))
            case .timeline(let event): broadcasts.timeline.send(TimelineEventRevision(event, identity: identity))
            }
        }
    }

    private func handleCommitFailure(_ error: any Error) {
        pending.markFailed(retryAt: clock.now().uptimeMilliseconds + Int64(Self.retrySeconds * 1000))
        let sentence = "cannot store records: \(error); \(pending.count) records are in memory"
        problems.raise(.storeFailed, sentence, at: .error, in: logger)
        guard pending.droppedCount > 0 else { return }
        let loss =
            "\(pending.droppedCount) records were given up, the oldest of the records in memory; the ledger will "
            + "contain them when the store accepts records again"
        problems.raise(.recordsGivenUp, loss, at: .error, in: logger)
    }

    /// Reports dropped records after the commit that entered them in the ledger.
    private func reportDropped(_ counts: [RecordKind: Int]) {
        let parts = RecordKind.allCases.compactMap { kind in counts[kind].map { "\(kind.channel.rawValue) \($0)" } }
        problems.clear(.recordsGivenUp)
        // The report explains to consumers why these numbers never arrive.
        onReportChange?()
        logger.warning("records were given up, because they could not be stored: \(parts.joined(separator: ", "))")
    }

    private func handleCommitRecovery() {
        pending.clearFailure()
        if problems.clear(.storeFailed) { logger.notice("records can be stored again") }
    }
}
