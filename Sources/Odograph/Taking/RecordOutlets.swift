import OdographJSON
import OdographPositioning
import OdographStore
import OdographTracking
import OdographWire

/// Gives outputs of the tracker and committed records to the parts that use them.
///
/// It has no guard of private time: the tracker makes no output with a position of that time.
struct RecordOutlets {
    let broadcasts: RecordBroadcasts
    /// Called with committed records.
    let onCommit: OnCommit
    /// The type of ``onCommit``.
    typealias OnCommit = @Sendable (CommittedRecords) -> Void
    var progress = EventProgress()
    var source: (any PositionSource)?
    var requests = PositionRequests()
    /// Called when the schedule or the ledger has changed, which the report contains.
    var onReportChange: (@Sendable () -> Void)?
    /// The time of the last commit with a record, on the monotonic clock. nil before the first one of this run.
    private(set) var lastRecordUptimeMilliseconds: Int64?

    /// Executes outputs. A record is no concern of this type until it is committed.
    mutating func execute(_ outputs: [TrackerOutput], annotations: RecordAnnotations) {
        for output in outputs {
            switch output {
            case .record: break
            case .sample(let location):
                broadcasts.locations.send(LocationEvent(location, identity: nil, annotations: annotations))
            case .position(let location, let request):
                requests.answer(
                    request, with: location.map { LocationEvent($0, identity: nil, annotations: annotations) })
            case .fixRate(let rate): source?.requestRate(rate)
            }
        }
    }

    /// Sends committed records to the streams, and to the publisher.
    mutating func announce(
        _ stored: [StoredRecord], of origins: [TrackerRecord], annotations: RecordAnnotations,
        identities: EpochIdentity, uptimeMilliseconds: Int64, capturedUptimeMilliseconds: [RecordKind: Int64]
    ) {
        for (index, (origin, record)) in zip(origins, stored).enumerated() where !broadcasts.isEmpty {
            let identity = identities.identity(forSeq: record.seq)
            let annotations = annotations.record(at: index)
            switch origin {
            case .location(let location):
                broadcasts.locations.send(LocationEvent(location, identity: identity, annotations: annotations))
            case .timeline(let event):
                broadcasts.timeline.send(
                    TimelineEventRevision(event, identity: identity, annotations: annotations))
            }
        }
        guard !stored.isEmpty else { return }
        lastRecordUptimeMilliseconds = uptimeMilliseconds
        var committed = CommittedRecords(records: stored, capturedUptimeMilliseconds: capturedUptimeMilliseconds)
        for origin in origins {
            switch origin {
            case .location(let location) where location.cause == .motionChange: committed.hasMotionChange = true
            case .location: break
            case .timeline(let event): committed.isTimelineUnchanged = progress.isProgress(event.value)
            }
        }
        onCommit(committed)
    }

    /// Ends all position requests and the event streams.
    mutating func finish() {
        requests.finish()
        broadcasts.finish()
    }
}
