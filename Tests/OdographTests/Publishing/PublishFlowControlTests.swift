import OdographCivilTime
import OdographHarness
import OdographStore
import OdographWire
import Testing

@testable import Odograph

@Suite("The flow control of publishing")
struct PublishFlowControlTests {
    private func records(_ seqs: ClosedRange<Int64>, kind: RecordKind = .location) -> [StoredRecord] {
        seqs.map {
            StoredRecord(
                epoch: 1, seq: $0, kind: kind, timestamp: Timestamp(millisecondsSinceEpoch: $0 * 1000), payload: [0x7B])
        }
    }

    @Test("Without a connection nothing is sent or requested")
    func offline() {
        var flow = PublishFlowControl()
        flow.noteCommitted(records(1...3), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).isEmpty)
        #expect(flow.backlogRequest() == nil)
    }

    @Test("A record that is committed during a connection is live and is sent without a read from the store")
    func live() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        #expect(flow.handleBacklog([], for: request, uptimeMilliseconds: 0).isEmpty)
        flow.noteCommitted(records(1...1), capturedUptimeMilliseconds: 0)
        let taken = flow.dequeueLive(uptimeMilliseconds: 10)
        #expect(taken.map(\.isLive) == [true])
        #expect(flow.backlogRequest() == nil)
        #expect(flow.handleAcknowledged(taken.map(\.token)) == [RecordKey(epoch: 1, seq: 1)])
        #expect(flow.isFullyDelivered)
    }

    @Test("A record that waited more than 30 s for its commit is not live, beside a fresh one of another kind")
    func lateCommit() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        #expect(flow.handleBacklog([], for: request, uptimeMilliseconds: 0).isEmpty)
        flow.noteCommitted(
            CommittedRecords(
                records: records(1...1) + records(2...2, kind: .timeline),
                capturedUptimeMilliseconds: [.location: 0, .timeline: 50_000]))
        #expect(flow.dequeueLive(uptimeMilliseconds: 60_000).map(\.isLive) == [false, true])
    }

    @Test("Only the newest record of each kind in a commit is live")
    func newestIsLive() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        _ = flow.handleBacklog([], for: try #require(flow.backlogRequest()), uptimeMilliseconds: 0)
        flow.noteCommitted(
            records(1...2) + records(3...3, kind: .timeline) + records(4...4), capturedUptimeMilliseconds: 0)
        let lanes = Dictionary(
            uniqueKeysWithValues: flow.dequeueLive(uptimeMilliseconds: 0).map { ($0.seqs[0], $0.isLive) })
        #expect(lanes == [1: false, 2: false, 3: true, 4: true])
    }

    @Test("After an outage the newest location is sent before the backlog, and a timeline revision is not")
    func order() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        flow.noteCommitted(records(3...3, kind: .timeline) + records(4...4), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).flatMap(\.seqs) == [4])
        let waiting = records(1...1) + records(2...3, kind: .timeline) + records(4...4)
        let taken = flow.handleBacklog(waiting, for: request, uptimeMilliseconds: 0)
        #expect(taken.flatMap(\.seqs) == [1, 2, 3])
        #expect(taken.map(\.isLive) == [false, false, true])
    }

    @Test("The backlog is sent oldest first, with the recent records that are no longer the newest or no longer fresh")
    func backlogOrder() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 100, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        flow.noteCommitted(records(8...8), capturedUptimeMilliseconds: 0)
        flow.noteCommitted(records(9...9), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).flatMap(\.seqs) == [9])
        flow.noteCommitted(records(10...10), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 30_001).isEmpty)
        let taken = flow.handleBacklog(records(1...10), for: request, uptimeMilliseconds: 30_001)
        #expect(taken.flatMap(\.seqs) == [1, 2, 3, 4, 5, 6, 7, 8, 10])
        #expect(taken.allSatisfy { !$0.isLive })
    }

    @Test("The newest record is live for 30 s", arguments: [(29_999, true), (30_000, true), (30_001, false)])
    func liveBound(delay: Int64, isLive: Bool) throws {
        var flow = PublishFlowControl()
        flow.noteCommitted(records(1...1), capturedUptimeMilliseconds: 0)
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        let taken = flow.handleBacklog(records(1...1), for: request, uptimeMilliseconds: delay)
        #expect(taken.map(\.isLive) == [isLive])
    }

    @Test("The records of an earlier run are backlog, also the newest")
    func earlierRun() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        #expect(flow.handleBacklog(records(1...2), for: request, uptimeMilliseconds: 0).allSatisfy { !$0.isLive })
    }

    @Test("A live record is sent before a backlog that leaves no room, and is not sent twice")
    func liveFirst() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 32, uptimeMilliseconds: 0)
        let first = try #require(flow.backlogRequest())
        let backlog = flow.handleBacklog(records(1...Int64(first.limit)), for: first, uptimeMilliseconds: 0)
        #expect(flow.backlogRequest() == nil)
        flow.noteCommitted(records(100...100), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).map(\.isLive) == [true])
        _ = flow.handleAcknowledged(backlog.map(\.token))
        let second = try #require(flow.backlogRequest())
        #expect(second.after == RecordKey(epoch: 1, seq: Int64(first.limit)))
        let rest = flow.handleBacklog(records(99...100), for: second, uptimeMilliseconds: 0)
        #expect(rest.flatMap(\.seqs) == [99])
    }

    @Test("Delivered records count as in flight until they are deleted, so a crash repeats at most the maximum")
    func exposure() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 100, uptimeMilliseconds: 0)
        let first = try #require(flow.backlogRequest())
        #expect(first.limit <= 100)
        let sent = flow.handleBacklog(records(1...Int64(first.limit)), for: first, uptimeMilliseconds: 0)
        _ = flow.handleAcknowledged(sent.map(\.token))
        flow.updatePendingAcknowledgements(100)
        #expect(flow.backlogRequest() == nil)
        flow.updatePendingAcknowledgements(49)
        #expect(try #require(flow.backlogRequest()).limit <= 51)
    }

    @Test("A retry repeats the refused record, and not those in flight")
    func refused() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        let taken = flow.handleBacklog(records(1...3), for: request, uptimeMilliseconds: 0)
        #expect(flow.handleRefused(taken[0].token, uptimeMilliseconds: 0) == .record(RecordKey(epoch: 1, seq: 1)))
        _ = flow.handleAcknowledged([taken[2].token])
        #expect(flow.retryDueUptimeMilliseconds == 60_000)
        let isRetriedEarly = flow.retry(uptimeMilliseconds: 59_999)
        #expect(!isRetriedEarly)
        let isRetried = flow.retry(uptimeMilliseconds: 60_000)
        #expect(isRetried)
        let again = try #require(flow.backlogRequest())
        #expect(again.after == nil)
        #expect(flow.handleBacklog(records(1...2), for: again, uptimeMilliseconds: 0).flatMap(\.seqs) == [1])
        let isRetriedAgain = flow.retry(uptimeMilliseconds: 200_000)
        #expect(!isRetriedAgain)
    }

    /// A flow to which the broker has refused the first records of a backlog.
    private func refusing(_ count: Int, isTooLarge: Bool = false) throws -> PublishFlowControl {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        for publication in flow.handleBacklog(records(1...Int64(count)), for: request, uptimeMilliseconds: 0) {
            _ = flow.handleRefused(publication.token, isTooLarge: isTooLarge, uptimeMilliseconds: 1000)
        }
        return flow
    }

    @Test(
        "After three refusals in a row on a topic its other records wait, and those of other topics do not",
        arguments: [(2, false, [21, 22, 23]), (3, false, [22]), (3, true, [21, 22, 23])])
    func refusedTopic(refused: Int, isTooLarge: Bool, expected: [Int64]) throws {
        var flow = try refusing(refused, isTooLarge: isTooLarge)
        let request = try #require(flow.backlogRequest())
        let behind = records(21...21) + records(22...22, kind: .timeline) + records(23...23)
        let sent = flow.handleBacklog(behind, for: request, uptimeMilliseconds: 1000)
        #expect(sent.flatMap(\.seqs) == expected)
        _ = flow.handleAcknowledged(sent.map(\.token))
        // The topic of live records is another one.
        flow.noteCommitted(records(24...24), capturedUptimeMilliseconds: 1000)
        #expect(flow.dequeueLive(uptimeMilliseconds: 1000).flatMap(\.seqs) == [24])
        #expect(!flow.isFullyDelivered)
    }

    @Test("A topic that waits gets one chance a minute, and all its records once the broker accepts one of them")
    func releasedTopic() throws {
        var flow = try refusing(3)
        var now: Int64 = 1000
        var delivered: [Int64] = []
        func sendAll() throws -> [PublishFlowControl.Publication] {
            var sent: [PublishFlowControl.Publication] = []
            while let request = flow.backlogRequest() {
                let rest = records(1...30).filter { $0.seq > request.after?.seq ?? 0 && !delivered.contains($0.seq) }
                    .prefix(request.limit)
                sent += flow.handleBacklog(Array(rest), for: request, uptimeMilliseconds: now)
            }
            return sent
        }
        #expect(try sendAll().isEmpty)
        now = try #require(flow.retryDueUptimeMilliseconds)
        #expect(now == 70_000)
        let isRetried = flow.retry(uptimeMilliseconds: now)
        #expect(isRetried)
        let second = try sendAll()
        #expect(second.flatMap(\.seqs) == [1])
        _ = flow.handleRefused(second[0].token, uptimeMilliseconds: now)
        #expect(try sendAll().isEmpty)
        now = try #require(flow.retryDueUptimeMilliseconds)
        _ = flow.retry(uptimeMilliseconds: now)
        let third = try sendAll()
        #expect(third.flatMap(\.seqs) == [1])
        delivered = flow.handleAcknowledged(third.map(\.token)).map(\.seq)
        #expect(try sendAll().flatMap(\.seqs) == Array(2...20))
    }

    @Test(
        "An unacknowledged record is sent again at once, and then after 1, 2, 4, … and at most 60 min")
    func leftOut() throws {
        var flow = PublishFlowControl()
        var now: Int64 = 0
        var waits: [Int64] = []
        for round in 0..<10 {
            flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
            var sent: [PublishFlowControl.Publication] = []
            let start = now
            while !sent.contains(where: { $0.seqs == [1] }) {
                while let request = flow.backlogRequest() {
                    let rest = records(1...3).filter { $0.seq > request.after?.seq ?? 0 }
                    sent += flow.handleBacklog(rest, for: request, uptimeMilliseconds: now)
                }
                if sent.contains(where: { $0.seqs == [1] }) { break }
                // The other records are not delayed, and a due retry always exists.
                #expect(sent.flatMap(\.seqs) == [2, 3])
                now = try #require(flow.retryDueUptimeMilliseconds)
                let isRetried = flow.retry(uptimeMilliseconds: now)
                #expect(isRetried)
                _ = flow.handleAcknowledged(sent.map(\.token))
                sent = []
            }
            waits.append((now - start) / 60_000)
            let token = try #require(sent.first { $0.seqs == [1] }?.token)
            _ = flow.handleAcknowledged(sent.map(\.token).filter { $0 != token })
            let repeated = flow.handleUnacknowledged([token], uptimeMilliseconds: now)
            #expect(repeated == (round == 0 ? [] : [RecordKey(epoch: 1, seq: 1)]))
            flow.handleDisconnected(isByBroker: false, uptimeMilliseconds: 0)
        }
        #expect(waits == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60])
        #expect(!flow.isFullyDelivered)
        flow.handleConnected(maximumInFlight: 20, uptimeMilliseconds: 0)
        let request = try #require(flow.backlogRequest())
        let sent = flow.handleBacklog(records(1...1), for: request, uptimeMilliseconds: now + 4_000_000)
        _ = flow.handleAcknowledged(sent.map(\.token))
        _ = flow.handleBacklog([], for: try #require(flow.backlogRequest()), uptimeMilliseconds: now)
        #expect(flow.isFullyDelivered)
    }

    @Test(
        "After any faults every record arrives, and at most the maximum in flight can be repeated, with batches and without",
        arguments: 0..<24)
    func everythingArrives(seed: UInt64) {
        var world = FlowWorld(seed: seed, isCompact: !seed.isMultiple(of: 2))
        for _ in 0..<200 { world.step() }
        world.finish()
        #expect(world.undelivered.isEmpty)
        #expect(world.worstExposure <= world.maximumInFlight)
        #expect(world.duplicates <= world.maximumInFlight * world.disconnections)
        #expect(world.wrongLive == 0)
    }
}

extension PublishFlowControl {
    /// Notes records that were captured at one time.
    mutating func noteCommitted(
        _ records: [StoredRecord], capturedUptimeMilliseconds captured: Int64, hasMotionChange: Bool = false,
        isTimelineUnchanged: Bool = false
    ) {
        noteCommitted(
            CommittedRecords(
                records: records,
                capturedUptimeMilliseconds: Dictionary(
                    records.map { ($0.kind, captured) }, uniquingKeysWith: { $1 }),
                hasMotionChange: hasMotionChange, isTimelineUnchanged: isTimelineUnchanged))
    }
}

extension PublishFlowControl.Publication {
    /// The numbers of the records.
    var seqs: [Int64] { records.map(\.seq) }
}
