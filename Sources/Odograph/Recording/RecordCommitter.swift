import OdographModel
import OdographStore
import OdographTracking

/// Commits records together with the state that produced them, and then announces them.
struct RecordCommitter {
    let store: AgentStore
    let problems: RecordingProblems

    /// Commits what is pending. After a failure it is still pending.
    /// - Returns: Whether the store has lost the state, so that a commit with a snapshot must follow.
    func commit(_ intake: inout Intake, to outlets: inout RecordOutlets, at time: RecordingTime) -> Bool {
        let annotations = intake.commitAnnotations
        guard let batch = intake.pending.batch(annotations: annotations, deviceID: intake.deviceID) else {
            return false
        }
        do {
            let state = try intake.state(for: batch)
            let now = time.now.systemTime
            let stored = try store.assumeIsolated { store in
                try store.commit(
                    batch.records, dropped: batch.droppedCounts, journal: state.journal, snapshot: state.snapshot,
                    now: now)
            }
            intake.pending.markCommitted(isSnapshot: state.snapshot != nil)
            outlets.announce(
                stored, of: batch.trackerRecords, annotations: annotations, identities: store.epochIdentity,
                uptimeMilliseconds: time.uptimeMilliseconds,
                capturedUptimeMilliseconds: batch.capturedUptimeMilliseconds)
            problems.clearStoreFailed()
            guard !batch.droppedCounts.isEmpty, !stored.isEmpty else { return false }
            problems.clearRecordsGivenUp(batch.droppedCounts)
            // The report explains to consumers why these numbers never arrive.
            outlets.onReportChange?()
        } catch StoreError.stateLost where !batch.needsSnapshot {
            intake.pending.needsSnapshot = true
            return true
        } catch {
            intake.pending.markFailed(retryAt: time.uptimeMilliseconds + PendingCommit.retryMilliseconds)
            problems.raiseStoreFailed(error, intake.pending)
        }
        return false
    }
}
