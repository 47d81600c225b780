import OdographCivilTime
import OdographStore
import OdographWire
import Testing

@testable import Odograph

/// The batches that ``PublishFlowControl`` makes.
@Suite("The flow control of batches")
struct BatchFlowTests {
    private func records(
        _ seqs: ClosedRange<Int64>, kind: RecordKind = .location, epoch: Int64 = 1, bytes: Int = 1
    ) -> [StoredRecord] {
        seqs.map {
            StoredRecord(
                epoch: epoch, seq: $0, kind: kind, timestamp: Timestamp(millisecondsSinceEpoch: $0 * 1000),
                payload: [UInt8](repeating: 0x7B, count: bytes))
        }
    }

    /// Returns the flow control of a connection that has sent its backlog and one position, at time 0.
    private func connected(maximumInFlight: Int = 1000) throws -> PublishFlowControl {
        var settings = EncodingSettings()
        settings.mode = .compact
        var flow = PublishFlowControl()
        flow.updateEncoding(settings)
        flow.handleConnected(maximumInFlight: maximumInFlight, uptimeMilliseconds: 0)
        _ = flow.handleBacklog([], for: try #require(flow.backlogRequest()), uptimeMilliseconds: 0)
        flow.noteCommitted(records(1...1), capturedUptimeMilliseconds: 0)
        let first = flow.dequeueLive(uptimeMilliseconds: 0)
        #expect(first.map(\.isLive) == [true])
        _ = flow.handleAcknowledged(first.map(\.token))
        return flow
    }

    /// Commits records and returns what is sent at once.
    private func commit(
        _ records: [StoredRecord], at uptime: Int64, hasMotionChange: Bool = false, isTimelineUnchanged: Bool = false,
        to flow: inout PublishFlowControl
    ) -> [PublishFlowControl.Publication] {
        flow.noteCommitted(
            records, capturedUptimeMilliseconds: uptime, hasMotionChange: hasMotionChange,
            isTimelineUnchanged: isTimelineUnchanged)
        return flow.dequeueLive(uptimeMilliseconds: uptime)
    }

    /// Answers the requests from stored records until there is none.
    private func drain(
        _ stored: [StoredRecord], at uptime: Int64, from flow: inout PublishFlowControl
    ) -> [PublishFlowControl.Publication] {
        var sent: [PublishFlowControl.Publication] = []
        while let request = flow.backlogRequest() {
            let rest = stored.filter { record in request.after.map { record.key > $0 } ?? true }
            let answer = Array(rest.prefix(request.limit))
            sent += flow.handleBacklog(answer, for: request, uptimeMilliseconds: uptime)
            if answer.isEmpty { break }
        }
        return sent
    }

    @Test("Locations wait for the interval and are one message then; a record sent before is not repeated")
    func interval() throws {
        var flow = try connected()
        #expect(commit(records(2...2), at: 10_000, to: &flow).isEmpty)
        #expect(commit(records(3...3, kind: .geofence), at: 20_000, to: &flow).map(\.isLive) == [true])
        #expect(commit(records(4...4), at: 30_000, to: &flow).isEmpty)
        #expect(flow.timerDueUptimeMilliseconds == 70_000)
        #expect(flow.backlogRequest() == nil)
        let isDueEarly = flow.closeBatch(uptimeMilliseconds: 69_999)
        #expect(!isDueEarly)
        let isDue = flow.closeBatch(uptimeMilliseconds: 70_000)
        #expect(isDue)
        let stored = records(2...2) + records(3...3, kind: .geofence) + records(4...4)
        let sent = drain(stored, at: 70_000, from: &flow)
        #expect(sent.map(\.seqs) == [[2, 4]])
        #expect(sent.map(\.isBatch) == [true])
        #expect(flow.handleAcknowledged(sent.map(\.token)).map(\.seq) == [2, 4])
        #expect(flow.timerDueUptimeMilliseconds == nil)
    }

    @Test("A position is sent alone after its interval, and the batch that waits goes with it")
    func position() throws {
        var flow = try connected()
        #expect(commit(records(2...2), at: 10_000, to: &flow).isEmpty)
        #expect(commit(records(3...3), at: 59_999, to: &flow).isEmpty)
        let alone = commit(records(4...4), at: 60_000, to: &flow)
        #expect(alone.map(\.seqs) == [[4]])
        #expect(alone.map(\.isLive) == [true])
        #expect(drain(records(2...4), at: 60_000, from: &flow).map(\.seqs) == [[2, 3]])
    }

    @Test("A position is sent at once when the vehicle starts or stops")
    func motionChange() throws {
        var flow = try connected()
        #expect(commit(records(2...2), at: 1000, hasMotionChange: true, to: &flow).map(\.seqs) == [[2]])
        #expect(commit(records(3...3), at: 2000, to: &flow).isEmpty)
    }

    @Test("A revision that says only that an event lasts waits for the batch, and is alone once in ten intervals")
    func progress() throws {
        var flow = try connected()
        let begin = commit(records(2...2, kind: .timeline), at: 1000, to: &flow)
        #expect(begin.map(\.isLive) == [true])
        for seq in 3...4 as ClosedRange<Int64> {
            let revision = records(seq...seq, kind: .timeline)
            #expect(commit(revision, at: seq * 1000, isTimelineUnchanged: true, to: &flow).isEmpty)
        }
        let isDue = flow.closeBatch(uptimeMilliseconds: 63_000)
        #expect(isDue)
        let sent = drain(records(2...4, kind: .timeline), at: 63_000, from: &flow)
        #expect(sent.map(\.seqs) == [[3, 4]])
        #expect(sent.map(\.isBatch) == [true])
        let early = commit(records(5...5, kind: .timeline), at: 600_999, isTimelineUnchanged: true, to: &flow)
        #expect(early.isEmpty)
        let isClosed = flow.closeBatch(isAtOnce: true, uptimeMilliseconds: 600_999)
        #expect(isClosed)
        _ = drain(records(5...5, kind: .timeline), at: 600_999, from: &flow)
        let late = commit(records(6...6, kind: .timeline), at: 601_000, isTimelineUnchanged: true, to: &flow)
        #expect(late.map(\.isLive) == [true])
    }

    @Test("A revision does not overtake one that waits for the batch: the batch goes first")
    func orderOfRevisions() throws {
        var flow = try connected()
        _ = commit(records(2...2, kind: .timeline), at: 1000, to: &flow)
        let waiting = records(3...3, kind: .timeline)
        #expect(commit(waiting, at: 2000, isTimelineUnchanged: true, to: &flow).isEmpty)
        let next = records(4...4, kind: .timeline)
        #expect(commit(next, at: 3000, to: &flow).isEmpty)
        let sent = drain(records(2...2, kind: .timeline) + waiting + next, at: 3000, from: &flow)
        #expect(sent.map(\.seqs) == [[3], [4]])
        #expect(sent.map(\.isBatch) == [true, false])
        #expect(sent.map(\.isLive) == [false, true])
    }

    @Test("A full batch is sent at once", arguments: [(100, 1), (2, 32 << 10)])
    func full(count: Int, bytes: Int) throws {
        var flow = try connected()
        for seq in 2..<Int64(1 + count) {
            #expect(commit(records(seq...seq, bytes: bytes), at: 1000, to: &flow).isEmpty)
            #expect(flow.backlogRequest() == nil)
        }
        let last = Int64(1 + count)
        #expect(commit(records(last...last, bytes: bytes), at: 1000, to: &flow).isEmpty)
        let sent = drain(records(2...last, bytes: bytes), at: 1000, from: &flow)
        #expect(sent.map(\.seqs) == [Array(2...last)])
    }

    @Test("The backlog of all kinds is in batches of at most 100 records, 64 kB and one epoch; live records are alone")
    func backlog() throws {
        var settings = EncodingSettings()
        settings.mode = .compact
        var flow = PublishFlowControl()
        flow.updateEncoding(settings)
        let live = records(400...400, kind: .timeline)
        flow.noteCommitted(live, capturedUptimeMilliseconds: 0)
        flow.handleConnected(maximumInFlight: 1000, uptimeMilliseconds: 0)
        let stored =
            records(7...8) + records(1...150, kind: .geofence, epoch: 2) + records(151...154, epoch: 2, bytes: 30 << 10)
            + live
        let sent = drain(
            stored.map {
                StoredRecord(
                    epoch: $0.seq == 400 ? 1 : $0.epoch, seq: $0.seq, kind: $0.kind, timestamp: $0.timestamp,
                    payload: $0.payload)
            }
            .sorted { $0.key < $1.key },
            at: 0, from: &flow)
        #expect(
            sent.map(\.seqs) == [
                [7, 8], [400], Array(1...100), Array(101...152), [153, 154],
            ])
        #expect(sent.map(\.isLive) == [false, true, false, false, false])
        #expect(sent.map(\.isBatch) == [true, false, true, true, true])
    }

    @Test("A batch that is too large is halved until its records are alone; another refusal separates them at once")
    func refusal() throws {
        var flow = try connected()
        flow.rewindBacklog()
        let first = drain(records(2...11), at: 0, from: &flow)
        #expect(first.map(\.seqs) == [Array(2...11)])
        #expect(
            flow.handleRefused(first[0].token, isTooLarge: true, uptimeMilliseconds: 0)
                == .batch(records: 10, nextLimit: 5))
        let second = drain(records(2...11), at: 0, from: &flow)
        #expect(second.map(\.seqs) == [Array(2...6), Array(7...11)])
        #expect(flow.handleAcknowledged([second[0].token]).count == 5)
        #expect(
            flow.handleRefused(second[1].token, uptimeMilliseconds: 0) == .batch(records: 5, nextLimit: 1))
        let third = drain(records(7...11), at: 0, from: &flow)
        #expect(third.map(\.seqs) == (7...11).map { [$0] })
        #expect(third.allSatisfy { !$0.isBatch && !$0.isLive })
        _ = flow.handleAcknowledged(third.map(\.token))
        #expect(commit(records(12...12), at: 1000, to: &flow).map(\.isLive) == [true])
        flow.handleDisconnected(isByBroker: false, uptimeMilliseconds: 0)
        flow.handleConnected(maximumInFlight: 1000, uptimeMilliseconds: 0)
        #expect(drain(records(13...20), at: 0, from: &flow).map(\.isBatch) == [true])
    }

    @Test("The records of a batch that stays unacknowledged are sent alone afterwards")
    func unacknowledged() throws {
        var flow = try connected()
        flow.rewindBacklog()
        let sent = drain(records(2...4), at: 0, from: &flow)
        #expect(flow.handleUnacknowledged(sent.map(\.token), uptimeMilliseconds: 0).isEmpty)
        flow.handleDisconnected(isByBroker: false, uptimeMilliseconds: 0)
        flow.handleConnected(maximumInFlight: 1000, uptimeMilliseconds: 0)
        #expect(drain(records(2...5), at: 0, from: &flow).map(\.seqs) == [[2], [3], [4], [5]])
    }

    @Test("The maximum in flight counts records, so that a crash repeats no more")
    func maximumInFlight() throws {
        var flow = try connected(maximumInFlight: 64)
        flow.rewindBacklog()
        let sent = drain(records(2...200), at: 0, from: &flow)
        #expect(sent.map(\.seqs) == [Array(2...61)])
        #expect(flow.backlogRequest() == nil)
    }

    @Test("A change to plain sends what waits at once")
    func change() throws {
        var flow = try connected()
        #expect(commit(records(2...3), at: 1000, to: &flow).isEmpty)
        flow.updateEncoding(EncodingSettings())
        #expect(drain(records(2...3), at: 1000, from: &flow).map(\.isBatch) == [false, false])
    }
}
