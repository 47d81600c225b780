import OdographCivilTime
import OdographModel
import OdographStore
import OdographWire

@testable import Odograph

/// Weeks of a vehicle with a traffic budget, in simulated time: the real flow control, budget and batches, a store that
/// is an array, and a broker that acknowledges at once. The costs are those measured at a network interface.
struct BudgetMonth {
    /// The cost of a record alone, of a batch, and of a record in a batch, bytes.
    private static let (alone, batch, inBatch) = (Int64(640), Int64(500), Int64(27))

    /// The records that were sent at a step.
    struct Sent {
        var locations = 0
        var others = 0
        var bytes: Int64 = 0
    }

    private(set) var budget: LinkBudget
    private(set) var now: ClockReading
    private(set) var steps: [BudgetGate] = []
    private(set) var sent: [BudgetGate.Step: Sent] = [:]
    /// How often each record was sent; its index is its number.
    private(set) var counts: [Int] = [0]
    /// The largest number of records that waited.
    private(set) var longestOutbox = 0
    private var flow = PublishFlowControl()
    private var stored: [StoredRecord?] = [nil]
    private var first = 1
    private let configured: EncodingSettings

    init(bytes: Int64, from start: ClockReading, encoding: EncodingSettings = EncodingSettings()) {
        var settings = MonthlyBudget()
        settings.bytes = bytes
        budget = LinkBudget(settings, zone: .utc)
        now = start
        configured = encoding
        flow.updateEncoding(encoding)
        flow.handleConnected(maximumInFlight: 1000, uptimeMilliseconds: 0)
        apply()
    }

    var undelivered: Int { counts.dropFirst().count { $0 == 0 } }

    /// Drives from 8 to 16 o'clock, and is parked for the rest of the day.
    mutating func pass(days: Int) {
        for _ in 0..<days {
            advance(bySeconds: 8 * 3600)
            for second in stride(from: 0, to: 8 * 3600, by: 15) {
                commit(.location)
                if second % 7200 == 0 { commit(.geofence) }
                if second % 14_400 == 0 { commit(.timeline) }
                if second % 60 == 0 { commit(.timeline, isTimelineUnchanged: true) }
                advance(bySeconds: 15)
            }
            advance(bySeconds: 8 * 3600)
        }
    }

    private mutating func advance(bySeconds seconds: Int) {
        // The agent looks at the period at least once in five minutes.
        for part in stride(from: 0, to: seconds, by: 300) {
            let length = min(300, seconds - part)
            now.systemTime = now.systemTime.advanced(bySeconds: Double(length))
            now.uptimeMilliseconds += Int64(length) * 1000
            budget.update(at: now)
            apply()
            flow.closeBatch(uptimeMilliseconds: now.uptimeMilliseconds)
            pump()
        }
    }

    private mutating func commit(_ kind: RecordKind, isTimelineUnchanged: Bool = false) {
        let record = StoredRecord(
            epoch: 1, seq: Int64(stored.count), kind: kind, timestamp: now.systemTime, payload: [0x7B])
        stored.append(record)
        counts.append(0)
        flow.noteCommitted(
            [record], capturedUptimeMilliseconds: now.uptimeMilliseconds, isTimelineUnchanged: isTimelineUnchanged)
        pump()
    }

    private mutating func pump() {
        send(flow.dequeueLive(uptimeMilliseconds: now.uptimeMilliseconds))
        while let request = flow.backlogRequest() {
            let records = read(request)
            send(flow.handleBacklog(records, for: request, uptimeMilliseconds: now.uptimeMilliseconds))
            if records.isEmpty { break }
        }
        if flow.isFullyDelivered, budget.gate.isReleasing {
            budget.endRelease()
            apply()
        }
        while first < stored.count, stored[first] == nil { first += 1 }
        longestOutbox = max(longestOutbox, stored.count - first)
    }

    private func read(_ request: PublishFlowControl.BacklogRequest) -> [StoredRecord] {
        var records: [StoredRecord] = []
        var index = max(Int(request.after?.seq ?? 0) + 1, first)
        while index < stored.count, records.count < request.limit {
            if let record = stored[index], request.withLocations || record.kind != .location { records.append(record) }
            index += 1
        }
        return records
    }

    private mutating func send(_ publications: [PublishFlowControl.Publication]) {
        let step = budget.gate.step
        for publication in publications {
            let records = publication.records
            let bytes = publication.isBatch ? Self.batch + Self.inBatch * Int64(records.count) : Self.alone
            let locations = records.count { $0.kind == .location }
            sent[step, default: Sent()].locations += locations
            sent[step, default: Sent()].others += records.count - locations
            sent[step, default: Sent()].bytes += bytes
            for record in records { counts[Int(record.seq)] += 1 }
            for key in flow.handleAcknowledged([publication.token]) { stored[Int(key.seq)] = nil }
            budget.add(bytes, at: now)
        }
        // The client reports its traffic after it was sent.
        apply()
    }

    private mutating func apply() {
        let gate = budget.gate
        guard gate != flow.gate || steps.isEmpty else { return }
        steps.append(gate)
        flow.updateGate(gate)
        flow.updateEncoding(gate.encoding(configured))
    }
}
