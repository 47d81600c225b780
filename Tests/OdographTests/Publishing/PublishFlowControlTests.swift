import OdographCivilTime
import OdographHarness
import OdographStore
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
        flow.handleConnected(window: 20)
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
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        #expect(flow.handleBacklog([], for: request, uptimeMilliseconds: 0).isEmpty)
        flow.noteCommitted(
            records(1...1) + records(2...2, kind: .timeline),
            capturedUptimeMilliseconds: [.location: 0, .timeline: 50_000])
        #expect(flow.dequeueLive(uptimeMilliseconds: 60_000).map(\.isLive) == [false, true])
    }

    @Test("Only the newest record of each kind in a commit is live")
    func newestIsLive() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 20)
        _ = flow.handleBacklog([], for: try #require(flow.backlogRequest()), uptimeMilliseconds: 0)
        flow.noteCommitted(
            records(1...2) + records(3...3, kind: .timeline) + records(4...4), capturedUptimeMilliseconds: 0)
        let lanes = Dictionary(
            uniqueKeysWithValues: flow.dequeueLive(uptimeMilliseconds: 0).map { ($0.record.seq, $0.isLive) })
        #expect(lanes == [1: false, 2: false, 3: true, 4: true])
    }

    @Test("After an outage the newest location is sent before the backlog, and a timeline revision is not")
    func order() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        flow.noteCommitted(records(3...3, kind: .timeline) + records(4...4), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).map(\.record.seq) == [4])
        let waiting = records(1...1) + records(2...3, kind: .timeline) + records(4...4)
        let taken = flow.handleBacklog(waiting, for: request, uptimeMilliseconds: 0)
        #expect(taken.map(\.record.seq) == [1, 2, 3])
        #expect(taken.map(\.isLive) == [false, false, true])
    }

    @Test("The backlog is sent oldest first, with the recent records that are no longer the newest or no longer fresh")
    func backlogOrder() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 100)
        let request = try #require(flow.backlogRequest())
        flow.noteCommitted(records(8...8), capturedUptimeMilliseconds: 0)
        flow.noteCommitted(records(9...9), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).map(\.record.seq) == [9])
        flow.noteCommitted(records(10...10), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 30_001).isEmpty)
        let taken = flow.handleBacklog(records(1...10), for: request, uptimeMilliseconds: 30_001)
        #expect(taken.map(\.record.seq) == [1, 2, 3, 4, 5, 6, 7, 8, 10])
        #expect(taken.allSatisfy { !$0.isLive })
    }

    @Test("The newest record is live for 30 s", arguments: [(29_999, true), (30_000, true), (30_001, false)])
    func liveBound(delay: Int64, isLive: Bool) throws {
        var flow = PublishFlowControl()
        flow.noteCommitted(records(1...1), capturedUptimeMilliseconds: 0)
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        let taken = flow.handleBacklog(records(1...1), for: request, uptimeMilliseconds: delay)
        #expect(taken.map(\.isLive) == [isLive])
    }

    @Test("The records of an earlier run are backlog, also the newest")
    func earlierRun() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        #expect(flow.handleBacklog(records(1...2), for: request, uptimeMilliseconds: 0).allSatisfy { !$0.isLive })
    }

    @Test("A live record is sent before a backlog that fills the window, and is not sent twice")
    func liveFirst() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 32)
        let first = try #require(flow.backlogRequest())
        let backlog = flow.handleBacklog(records(1...Int64(first.limit)), for: first, uptimeMilliseconds: 0)
        #expect(flow.backlogRequest() == nil)
        flow.noteCommitted(records(100...100), capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).map(\.isLive) == [true])
        _ = flow.handleAcknowledged(backlog.map(\.token))
        let second = try #require(flow.backlogRequest())
        #expect(second.after == RecordKey(epoch: 1, seq: Int64(first.limit)))
        let rest = flow.handleBacklog(records(99...100), for: second, uptimeMilliseconds: 0)
        #expect(rest.map(\.record.seq) == [99])
    }

    @Test("Delivered records occupy the window until they are deleted, so a crash repeats at most one window")
    func exposure() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 100)
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
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        let taken = flow.handleBacklog(records(1...3), for: request, uptimeMilliseconds: 0)
        #expect(flow.handleRefused(taken[0].token, uptimeMilliseconds: 0) == RecordKey(epoch: 1, seq: 1))
        _ = flow.handleAcknowledged([taken[2].token])
        #expect(flow.retryDueUptimeMilliseconds == 60_000)
        let isRetriedEarly = flow.retry(uptimeMilliseconds: 59_999)
        #expect(!isRetriedEarly)
        let isRetried = flow.retry(uptimeMilliseconds: 60_000)
        #expect(isRetried)
        let again = try #require(flow.backlogRequest())
        #expect(again.after == nil)
        #expect(flow.handleBacklog(records(1...2), for: again, uptimeMilliseconds: 0).map(\.record.seq) == [1])
        let isRetriedAgain = flow.retry(uptimeMilliseconds: 200_000)
        #expect(!isRetriedAgain)
    }

    @Test("An empty record is skipped, and the records after it are published")
    func emptyPayload() throws {
        var flow = PublishFlowControl()
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        var stored = records(1...3)
        stored[1].payload = []
        #expect(flow.handleBacklog(stored, for: request, uptimeMilliseconds: 0).map(\.record.seq) == [1, 3])
        // A batch of empty records is not the end of the backlog.
        let next = try #require(flow.backlogRequest())
        stored = records(4...4)
        stored[0].payload = []
        #expect(flow.handleBacklog(stored, for: next, uptimeMilliseconds: 0).isEmpty)
        #expect(flow.backlogRequest()?.after == RecordKey(epoch: 1, seq: 4))
    }

    @Test(
        "An unacknowledged record is sent again at once, and then after 1, 2, 4, … and at most 60 min")
    func leftOut() throws {
        var flow = PublishFlowControl()
        var now: Int64 = 0
        var waits: [Int64] = []
        for round in 0..<10 {
            flow.handleConnected(window: 20)
            var sent: [PublishFlowControl.Publication] = []
            let start = now
            while !sent.contains(where: { $0.record.seq == 1 }) {
                while let request = flow.backlogRequest() {
                    let rest = records(1...3).filter { $0.seq > request.after?.seq ?? 0 }
                    sent += flow.handleBacklog(rest, for: request, uptimeMilliseconds: now)
                }
                if sent.contains(where: { $0.record.seq == 1 }) { break }
                // The other records are not delayed, and a due retry always exists.
                #expect(sent.map(\.record.seq) == [2, 3])
                now = try #require(flow.retryDueUptimeMilliseconds)
                let isRetried = flow.retry(uptimeMilliseconds: now)
                #expect(isRetried)
                _ = flow.handleAcknowledged(sent.map(\.token))
                sent = []
            }
            waits.append((now - start) / 60_000)
            let token = try #require(sent.first { $0.record.seq == 1 }?.token)
            _ = flow.handleAcknowledged(sent.map(\.token).filter { $0 != token })
            let repeated = flow.handleUnacknowledged([token], uptimeMilliseconds: now)
            #expect(repeated == (round == 0 ? [] : [RecordKey(epoch: 1, seq: 1)]))
            flow.handleDisconnected()
        }
        #expect(waits == [0, 0, 1, 2, 4, 8, 16, 32, 60, 60])
        #expect(!flow.isFullyDelivered)
        flow.handleConnected(window: 20)
        let request = try #require(flow.backlogRequest())
        let sent = flow.handleBacklog(records(1...1), for: request, uptimeMilliseconds: now + 4_000_000)
        _ = flow.handleAcknowledged(sent.map(\.token))
        _ = flow.handleBacklog([], for: try #require(flow.backlogRequest()), uptimeMilliseconds: now)
        #expect(flow.isFullyDelivered)
    }

    @Test("After any faults every record arrives, and at most one window can be repeated", arguments: 0..<12)
    func everythingArrives(seed: UInt64) {
        var world = FlowWorld(seed: seed)
        for _ in 0..<200 { world.step() }
        world.finish()
        #expect(world.undelivered.isEmpty)
        #expect(world.worstExposure <= world.window)
        #expect(world.duplicates <= world.window * world.disconnections)
        #expect(world.wrongLive == 0)
    }
}

/// A simulation of a store, a broker and a network that fail at random.
private struct FlowWorld {
    private(set) var window: Int
    private(set) var worstExposure = 0
    private(set) var duplicates = 0
    private(set) var disconnections = 0
    private(set) var wrongLive = 0
    private var random: SplitMix64
    private var flow = PublishFlowControl()
    private var stored: [StoredRecord] = []
    private var pendingDeletion: Set<Int64> = []
    private var onTheWay: [PublishFlowControl.Publication] = []
    private var arrived: Set<Int64> = []
    private var nextSeq: Int64 = 1
    private var uptime: Int64 = 0
    private var newest: [RecordKind: Int64] = [:]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        window = Int.random(in: 1...200, using: &random)
    }

    var undelivered: [Int64] { (1..<nextSeq).filter { !arrived.contains($0) } }

    mutating func step() {
        uptime += Int64.random(in: 0...4000, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: if flow.isConnected { disconnect() } else { flow.handleConnected(window: window) }
        case 1...4: commit(Int.random(in: 1...5, using: &random))
        case 5 where Bool.random(using: &random): leaveOut()
        case 5: commit(Int.random(in: 60...90, using: &random))
        case 6...7: acknowledge(Int.random(in: 0...onTheWay.count, using: &random))
        default: settle()
        }
        pump()
    }

    mutating func finish() {
        if !flow.isConnected { flow.handleConnected(window: window) }
        for _ in 0..<100_000 where !stored.isEmpty || !onTheWay.isEmpty {
            pump()
            acknowledge(onTheWay.count)
            settle()
            if let due = flow.retryDueUptimeMilliseconds, onTheWay.isEmpty {
                uptime = max(uptime, due)
                _ = flow.retry(uptimeMilliseconds: uptime)
            }
        }
    }

    private mutating func commit(_ count: Int) {
        let fresh = (0..<count).map { _ -> StoredRecord in
            defer { nextSeq += 1 }
            let kind = RecordKind.allCases.randomElement(using: &random) ?? .location
            newest[kind] = nextSeq
            return StoredRecord(
                epoch: 1, seq: nextSeq, kind: kind, timestamp: Timestamp(millisecondsSinceEpoch: 0), payload: [0x7B])
        }
        stored += fresh
        flow.noteCommitted(fresh, capturedUptimeMilliseconds: uptime)
    }

    private mutating func disconnect() {
        // Messages in flight may have arrived; only their acknowledgements are lost.
        for publication in onTheWay where Bool.random(using: &random) { arrived.insert(publication.record.seq) }
        onTheWay.removeAll()
        disconnections += 1
        flow.handleDisconnected()
    }

    /// Acknowledges a message without those before it, and ends the connection.
    private mutating func leaveOut() {
        guard onTheWay.count > 1 else { return }
        let left = onTheWay.prefix(Int.random(in: 1..<onTheWay.count, using: &random))
        onTheWay.removeFirst(left.count)
        acknowledge(1)
        for publication in left where Bool.random(using: &random) { arrived.insert(publication.record.seq) }
        _ = flow.handleUnacknowledged(left.map(\.token), uptimeMilliseconds: uptime)
        disconnect()
    }

    private mutating func acknowledge(_ count: Int) {
        let done = onTheWay.prefix(count)
        onTheWay.removeFirst(count)
        for publication in done { arrived.insert(publication.record.seq) }
        for key in flow.handleAcknowledged(done.map(\.token)) { pendingDeletion.insert(key.seq) }
        flow.updatePendingAcknowledgements(pendingDeletion.count)
    }

    private mutating func settle() {
        stored.removeAll { pendingDeletion.contains($0.seq) }
        pendingDeletion.removeAll()
        flow.updatePendingAcknowledgements(0)
    }

    private mutating func pump() {
        send(flow.dequeueLive(uptimeMilliseconds: uptime))
        while let request = flow.backlogRequest() {
            let after = request.after?.seq ?? 0
            let records = stored.filter { $0.seq > after && !pendingDeletion.contains($0.seq) }.prefix(request.limit)
            send(flow.handleBacklog(Array(records), for: request, uptimeMilliseconds: uptime))
            send(flow.dequeueLive(uptimeMilliseconds: uptime))
            if records.isEmpty { break }
        }
    }

    private mutating func send(_ publications: [PublishFlowControl.Publication]) {
        for publication in publications {
            if arrived.contains(publication.record.seq) { duplicates += 1 }
            if publication.isLive, newest[publication.record.kind] != publication.record.seq { wrongLive += 1 }
        }
        onTheWay += publications
        worstExposure = max(worstExposure, onTheWay.count + pendingDeletion.count)
    }
}

extension PublishFlowControl {
    /// Notes records that were captured at one time.
    fileprivate mutating func noteCommitted(_ records: [StoredRecord], capturedUptimeMilliseconds captured: Int64) {
        noteCommitted(
            records,
            capturedUptimeMilliseconds: Dictionary(records.map { ($0.kind, captured) }, uniquingKeysWith: { $1 }))
    }
}
