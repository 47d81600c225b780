import Logging
import Positioning
import Store
import Tracking

/// Commits: the records that wait, with the state that made them.
extension Recorder {
    /// A commit that failed is tried again this much later, seconds.
    private static let retrySeconds = 5.0

    func commit() {
        if !isDating { lookAfterStore() }
        guard !isDating, let batch = pending.batch(extras: settings.extras, deviceID: deviceID) else { return }
        do {
            let snapshot = batch.wantsSnapshot ? try snapshot() : nil
            let entry = JournalEntry(batch.journal, sourceOrdinal: sourceOrdinal, leadingTo: tracker).bytes
            let time = now().systemTime
            let stored = try store.assumeIsolated { store in
                try store.commit(
                    batch.records, dropped: batch.givenUp, journal: snapshot == nil ? entry : [], snapshot: snapshot,
                    now: time)
            }
            pending.committed(isSnapshot: snapshot != nil)
            if !feeds.isEmpty { tell(batch.origins, stored) }
            if !stored.isEmpty {
                lastRecordUptime = clock.now().uptimeMilliseconds
                committed(stored, capturedUptime)
            }
            if pending.hasFailed { recovered() }
            if !batch.givenUp.isEmpty, !stored.isEmpty { tellGivenUp(batch.givenUp) }
        } catch StoreError.stateLost where !batch.wantsSnapshot {
            pending.wantsSnapshot = true
            commit()
        } catch {
            failed(error)
        }
    }

    /// When what is committed now was captured, on the monotonic clock.
    private var capturedUptime: Int64? {
        if areRecordsLate { return nil }
        return isTimeVirtual ? clock.now().uptimeMilliseconds : lastMoment?.uptimeMilliseconds
    }

    private func snapshot() throws -> [UInt8] {
        // What is on the disk can be read by whoever has the disk.
        let kept = isPrivate ? tracker.withoutPositions() : tracker
        return try SavedState.bytes(of: kept, sourceOrdinal: sourceOrdinal)
    }

    private func tell(_ origins: [TrackerRecord], _ stored: [StoredRecord]) {
        for (origin, record) in zip(origins, stored) {
            let identity = store.identities.identity(ofSeq: record.seq)
            switch origin {
            case .location(let location):
                feeds.locations.send(LocationEvent(location, identity: identity, extras: settings.extras))
            case .timeline(let event): feeds.timeline.send(TimelineEventRevision(event, identity: identity))
            }
        }
    }

    private func failed(_ error: any Error) {
        pending.failed(retryAt: clock.now().uptimeMilliseconds + Int64(Self.retrySeconds * 1000))
        let sentence = "records cannot be stored: \(error); \(pending.count) records wait in memory"
        problems.raise(.storeFailed, sentence, at: .error, in: logger)
        guard pending.givenUpCount > 0 else { return }
        let loss =
            "\(pending.givenUpCount) records were given up, the oldest of those that wait in memory until they can be stored; "
            + "the ledger will have them as soon as the store takes records again"
        problems.raise(.recordsGivenUp, loss, at: .error, in: logger)
    }

    /// The ledger has the records that were given up while nothing could be stored.
    private func tellGivenUp(_ counts: [RecordKind: Int]) {
        let parts = RecordKind.allCases.compactMap { kind in counts[kind].map { "\(kind.channel.rawValue) \($0)" } }
        problems.settle(.recordsGivenUp)
        // A consumer learns from the report why these numbers never come.
        reportChanged?()
        logger.warning("records were given up before they could be stored: \(parts.joined(separator: ", "))")
    }

    private func recovered() {
        pending.recovered()
        if problems.settle(.storeFailed) { logger.notice("records are stored again") }
    }
}
