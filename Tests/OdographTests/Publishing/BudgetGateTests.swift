import OdographCivilTime
import OdographHarness
import OdographModel
import OdographStore
import OdographThreads
import OdographWire
import Testing

@testable import Odograph

@Suite("What the traffic budget holds back")
struct BudgetGateTests {
    private func record(_ seq: Int64, _ kind: RecordKind) -> StoredRecord {
        StoredRecord(
            epoch: 1, seq: seq, kind: kind, timestamp: Timestamp(millisecondsSinceEpoch: seq * 1000), payload: [0x7B])
    }

    private let kinds: [RecordKind] = [.location, .timeline, .location, .geofence, .location, .givenUp]

    private var all: [StoredRecord] { zip(1..., kinds).map { record($0, $1) } }

    /// Returns what a pass over the store sends.
    private func pass(_ flow: inout PublishFlowControl, at uptime: Int64 = 0) -> [[Int64]] {
        var sent: [[Int64]] = []
        while let request = flow.backlogRequest() {
            let answer = all.filter {
                $0.seq > request.after?.seq ?? 0 && (request.withLocations || $0.kind != .location)
            }
            sent += flow.handleBacklog(answer, for: request, uptimeMilliseconds: uptime).map(\.seqs)
            if answer.isEmpty { break }
        }
        return sent
    }

    @Test("The first step is compact with intervals of at least ten minutes, and the configured form returns")
    func encoding() {
        var configured = EncodingSettings()
        #expect(BudgetGate().encoding(configured) == configured)
        var low = BudgetGate(step: .low).encoding(configured)
        #expect(low.mode == .compact && low.batchIntervalSeconds == 600 && low.positionIntervalSeconds == 600)
        #expect(BudgetGate(step: .exhausted).encoding(configured) == low)
        configured.batchIntervalSeconds = 1800
        low = BudgetGate(step: .low).encoding(configured)
        #expect(low.batchIntervalSeconds == 1800 && low.positionIntervalSeconds == 600)
        let releasing = BudgetGate(isReleasing: true).encoding(configured)
        #expect(releasing.mode == .compact && releasing.positionIntervalSeconds == 60)
        #expect(BudgetGate(step: .low).allowsLocations)
        let kinds = RecordKind.allCases.filter { BudgetGate(step: .exhausted).allows($0) }
        #expect(kinds == [.geofence, .timeline, .givenUp])
    }

    @Test("Without budget the backlog has no locations; a larger budget sends each of them once")
    func backlog() {
        var flow = PublishFlowControl()
        flow.updateGate(BudgetGate(step: .exhausted))
        flow.handleConnected(maximumInFlight: 100, uptimeMilliseconds: 0)
        #expect(flow.backlogRequest()?.withLocations == false)
        #expect(pass(&flow) == [[2], [4], [6]])
        flow.updateGate(BudgetGate(step: .exhausted))
        #expect(flow.backlogRequest() == nil)
        flow.updateGate(BudgetGate())
        #expect(pass(&flow) == [[1], [3], [5]])
    }

    @Test("Live locations wait, also those that waited for a batch, and no timer wakes the agent for them")
    func live() {
        var flow = PublishFlowControl()
        flow.updateEncoding(BudgetGate(step: .low).encoding(EncodingSettings()))
        flow.handleConnected(maximumInFlight: 100, uptimeMilliseconds: 0)
        _ = flow.handleBacklog(
            [], for: flow.backlogRequest() ?? .init(limit: 0, maximumBytes: 0), uptimeMilliseconds: 0)
        flow.noteCommitted([all[0]], capturedUptimeMilliseconds: 0)
        #expect(flow.dequeueLive(uptimeMilliseconds: 0).map(\.seqs) == [[1]])
        flow.noteCommitted([all[2]], capturedUptimeMilliseconds: 1000)
        #expect(flow.dequeueLive(uptimeMilliseconds: 1000).isEmpty)
        #expect(flow.timerDueUptimeMilliseconds == 601_000)
        flow.updateGate(BudgetGate(step: .exhausted))
        _ = pass(&flow, at: 2000)
        #expect(flow.timerDueUptimeMilliseconds == nil)
        flow.noteCommitted([record(7, .location)], capturedUptimeMilliseconds: 3000)
        flow.noteCommitted([record(8, .geofence)], capturedUptimeMilliseconds: 3000)
        #expect(flow.dequeueLive(uptimeMilliseconds: 3000).map(\.seqs) == [[8]])
        #expect(flow.timerDueUptimeMilliseconds == nil)
        #expect(flow.backlogRequest() == nil)
    }

    @Test("A batch that is in flight when the budget ends is acknowledged, and is not sent again with the next one")
    func inFlight() {
        var flow = PublishFlowControl()
        flow.handleConnected(maximumInFlight: 100, uptimeMilliseconds: 0)
        #expect(pass(&flow) == [[1], [2], [3], [4], [5], [6]])
        flow.updateGate(BudgetGate(step: .exhausted))
        flow.updateGate(BudgetGate())
        #expect(pass(&flow).isEmpty)
    }

    // MARK: A month

    private static func start() throws -> ClockReading { try ScheduleFixture.moment("2026-11-01T00:00:00Z") }

    @Test("A month that would exceed its budget is sent in batches, and everything arrives within the budget")
    func tightMonth() throws {
        var month = BudgetMonth(bytes: 30_000_000, from: try Self.start())
        month.pass(days: 29)
        #expect(month.steps.map(\.step) == [.normal, .low])
        #expect(month.undelivered == 0)
        #expect(month.counts.dropFirst().allSatisfy { $0 == 1 })
        #expect(month.sent[.normal]?.bytes ?? 0 > 5_000_000, "the first step came too early")
        let isWithin = month.sent.values.reduce(0) { $0 + $1.bytes } < 30_000_000
        #expect(isWithin)
    }

    @Test("A budget that is used up holds locations back until the next month, and only events exceed it")
    func shortMonth() throws {
        var month = BudgetMonth(bytes: 4_000_000, from: try Self.start())
        month.pass(days: 29)
        #expect(month.steps.map(\.step) == [.normal, .low, .exhausted])
        let exhausted = try #require(month.sent[.exhausted])
        // What was on its way when the budget ended is a part of the step before.
        #expect(exhausted.locations == 0)
        #expect(exhausted.others > 1000)
        let state = month.budget.state
        #expect(state.overshoot >= exhausted.bytes && state.overshoot < exhausted.bytes + 20_000, "\(state)")
        #expect(exhausted.bytes < 600_000)
        #expect(month.undelivered > 5000)
        #expect(month.longestOutbox >= month.undelivered)
        // Nothing is recorded less: 1,920 locations a day.
        #expect(month.counts.count > 29 * 1920)
        let before = month.undelivered
        month.pass(days: 3)
        #expect(month.steps.dropFirst(3).prefix(2) == [BudgetGate(isReleasing: true), BudgetGate()])
        #expect(month.undelivered <= 100)
        #expect(month.counts.dropFirst().allSatisfy { $0 <= 1 })
        // In batches of 100: alone, the records that had waited would have cost more than the whole budget.
        #expect(month.budget.state.from == (try ScheduleFixture.time("2026-12-01T00:00:00Z")))
        #expect(Int64(before) * 640 > 4_000_000)
        #expect(month.budget.state.bytes < 3_500_000, "\(month.budget.state)")
    }

    @Test("A generous budget changes nothing")
    func generousMonth() throws {
        var month = BudgetMonth(bytes: 500_000_000, from: try Self.start())
        month.pass(days: 32)
        #expect(month.steps == [BudgetGate()])
        #expect(month.undelivered == 0)
    }
}
