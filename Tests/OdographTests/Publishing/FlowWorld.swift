import OdographCivilTime
import OdographHarness
import OdographStore
import OdographWire

@testable import Odograph

/// A simulation of a store, a broker and a network that fail at random.
struct FlowWorld {
    private(set) var maximumInFlight: Int
    private(set) var worstExposure = 0
    private(set) var duplicates = 0
    private(set) var disconnections = 0
    private(set) var wrongLive = 0
    /// Whether records are published in batches.
    private let isCompact: Bool
    private var random: SplitMix64
    private var flow = PublishFlowControl()
    private var stored: [StoredRecord] = []
    private var pendingDeletion: Set<Int64> = []
    private var onTheWay: [PublishFlowControl.Publication] = []
    private var arrived: Set<Int64> = []
    private var nextSeq: Int64 = 1
    private var uptime: Int64 = 0
    private var newest: [RecordKind: Int64] = [:]

    init(seed: UInt64, isCompact: Bool = false) {
        random = SplitMix64(seed: seed)
        self.isCompact = isCompact
        maximumInFlight = Int.random(in: 1...200, using: &random)
        guard isCompact else { return }
        var settings = EncodingSettings()
        settings.mode = .compact
        flow.updateEncoding(settings)
    }

    var undelivered: [Int64] { (1..<nextSeq).filter { !arrived.contains($0) } }

    mutating func step() {
        uptime += Int64.random(in: 0...4000, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            if flow.isConnected {
                disconnect()
            } else {
                flow.handleConnected(maximumInFlight: maximumInFlight, uptimeMilliseconds: 0)
            }
        case 1...4: commit(Int.random(in: 1...5, using: &random))
        case 5 where Bool.random(using: &random): Bool.random(using: &random) ? refuse() : leaveOut()
        case 5: commit(Int.random(in: 60...90, using: &random))
        case 6...7: acknowledge(Int.random(in: 0...onTheWay.count, using: &random))
        default: settle()
        }
        pump()
    }

    mutating func finish() {
        if !flow.isConnected { flow.handleConnected(maximumInFlight: maximumInFlight, uptimeMilliseconds: 0) }
        for _ in 0..<100_000 where !stored.isEmpty || !onTheWay.isEmpty {
            pump()
            acknowledge(onTheWay.count)
            settle()
            if let due = flow.timerDueUptimeMilliseconds, onTheWay.isEmpty {
                uptime = max(uptime, due)
                _ = flow.retry(uptimeMilliseconds: uptime)
                flow.closeBatch(uptimeMilliseconds: uptime)
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
        for publication in onTheWay where Bool.random(using: &random) { arrived.formUnion(publication.seqs) }
        onTheWay.removeAll()
        disconnections += 1
        flow.handleDisconnected(isByBroker: false, uptimeMilliseconds: 0)
    }

    /// Acknowledges a message without those before it, and ends the connection.
    private mutating func leaveOut() {
        guard onTheWay.count > 1 else { return }
        let left = onTheWay.prefix(Int.random(in: 1..<onTheWay.count, using: &random))
        onTheWay.removeFirst(left.count)
        acknowledge(1)
        for publication in left where Bool.random(using: &random) { arrived.formUnion(publication.seqs) }
        _ = flow.handleUnacknowledged(left.map(\.token), uptimeMilliseconds: uptime)
        disconnect()
    }

    /// Refuses a message.
    private mutating func refuse() {
        guard !onTheWay.isEmpty else { return }
        let refused = onTheWay.remove(at: Int.random(in: 0..<onTheWay.count, using: &random))
        let isTooLarge = Bool.random(using: &random)
        _ = flow.handleRefused(refused.token, isTooLarge: isTooLarge, uptimeMilliseconds: uptime)
    }

    private mutating func acknowledge(_ count: Int) {
        let done = onTheWay.prefix(count)
        onTheWay.removeFirst(count)
        for publication in done { arrived.formUnion(publication.seqs) }
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
            duplicates += publication.seqs.count { arrived.contains($0) }
            for record in publication.records where publication.isLive && newest[record.kind] != record.seq {
                wrongLive += 1
            }
        }
        onTheWay += publications
        worstExposure = max(worstExposure, onTheWay.reduce(0) { $0 + $1.records.count } + pendingDeletion.count)
    }
}
