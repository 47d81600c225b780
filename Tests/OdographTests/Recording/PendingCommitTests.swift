import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import Odograph

@Suite("The pending commit")
struct PendingCommitTests {
    private let fixes: [Fix]
    private let tracker: Tracker

    init() throws {
        fixes = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 600)
        var tracker = Tracker(configuration: TrackingConfiguration(), seed: (1, 2))
        for fix in fixes { _ = tracker.handle(.fix(fix)) }
        self.tracker = tracker
    }

    /// Returns a record that is identified by its age.
    private func record(_ age: Int64) throws -> TrackerRecord {
        let time = fixes[fixes.count - 1].timestamp.advanced(byMilliseconds: age)
        return .location(try #require(tracker.currentLocation(at: ClockReading(replayed: time))))
    }

    private func input(_ fix: Fix) throws -> Disclosed<TrackerInput> {
        try #require(tracker.disclose(.fix(fix)))
    }

    private func batch(_ pending: PendingCommit) -> PendingCommit.Batch? {
        pending.batch
    }

    @Test("An empty commit has no batch and no due time")
    func nothing() {
        let pending = PendingCommit()
        #expect(batch(pending) == nil)
        #expect(pending.due(intervalSeconds: 0) == nil)
        #expect(!pending.isDue(intervalSeconds: 0, uptimeMilliseconds: .max))
    }

    @Test("Records wait for the interval after the first one", arguments: [(0.0, 1000), (0.5, 1500), (10, 11_000)])
    func interval(seconds: Double, due: Int64) throws {
        var pending = PendingCommit()
        try pending.append(record(1), uptimeMilliseconds: 1000)
        try pending.append(record(2), uptimeMilliseconds: 1400)
        #expect(pending.due(intervalSeconds: seconds) == due)
        #expect(!pending.isDue(intervalSeconds: seconds, uptimeMilliseconds: due - 1))
        #expect(pending.isDue(intervalSeconds: seconds, uptimeMilliseconds: due))
        #expect(try batch(pending)?.records == [record(1), record(2)])
        pending.markCommitted(isSnapshot: false)
        #expect(pending.due(intervalSeconds: seconds) == nil && pending.count == 0)
    }

    @Test("A failed commit is retried at the given time, together with the records that arrived meanwhile")
    func failure() throws {
        var pending = PendingCommit()
        try pending.append(record(1), uptimeMilliseconds: 1000)
        pending.markFailed(retryAt: 6000)
        try pending.append(record(2), uptimeMilliseconds: 2000)
        #expect(pending.due(intervalSeconds: 0) == 6000)
        #expect(batch(pending)?.records.count == 2)
        pending.markCommitted(isSnapshot: false)
        #expect(pending.due(intervalSeconds: 0) == nil)
    }

    @Test("While the disk fails, the oldest records are dropped, and the next commit contains their counts")
    func givenUp() throws {
        var pending = PendingCommit()
        for number in 1...10_000 { try pending.append(record(Int64(number)), uptimeMilliseconds: 0) }
        #expect(pending.count == 10_000 && pending.droppedCount == 0)
        try pending.append(record(10_001), uptimeMilliseconds: 0)
        #expect(pending.count == 9001 && pending.droppedCount == 1000)
        #expect(
            try batch(pending)?.records.first == record(1001)
                && batch(pending)?.records.last == record(10_001))
        #expect(batch(pending)?.droppedCounts == [.location: 1000])
        // The disk works again, but the ledger does not contain the dropped records yet.
        #expect(pending.droppedCount == 1000)
        pending.markCommitted(isSnapshot: false)
        #expect(pending.droppedCount == 0 && batch(pending) == nil)
    }

    @Test("Inputs without a record are committed only on request, and a request counts once")
    func inputs() throws {
        var pending = PendingCommit()
        let isNoted = try pending.appendInput(input(fixes[0]))
        #expect(isNoted && batch(pending) == nil)
        pending.needsInputs = true
        #expect(batch(pending)?.records.isEmpty == true && batch(pending)?.inputJournal.bytes.isEmpty == false)
        pending.markCommitted(isSnapshot: false)
        #expect(batch(pending) == nil)
    }

    @Test("A journal that is larger than the state becomes a snapshot, and a pending snapshot adds no journal")
    func longJournal() throws {
        var pending = PendingCommit()
        let noted = try fixes.prefix { try pending.appendInput(input($0)) }.count
        #expect((100..<fixes.count).contains(noted), "\(noted)")
        pending.needsSnapshot = true
        let bytes = batch(pending)?.inputJournal.bytes.count
        let isNoted = try pending.appendInput(input(fixes[noted]))
        #expect(isNoted && batch(pending)?.inputJournal.bytes.count == bytes)
        #expect(batch(pending)?.needsSnapshot == true)
        pending.markCommitted(isSnapshot: true)
        #expect(batch(pending) == nil)
    }

    @Test("The journals since the last snapshot are bounded, so that a start replays few inputs")
    func manyJournals() throws {
        var pending = PendingCommit()
        var journals = 0
        var bytes = 0
        for _ in 1...100 {
            for fix in fixes[..<100] { _ = try pending.appendInput(input(fix)) }
            pending.needsInputs = true
            guard let batch = batch(pending), !batch.needsSnapshot else { break }
            journals += 1
            bytes += batch.inputJournal.bytes.count
            pending.markCommitted(isSnapshot: false)
        }
        #expect((2..<100).contains(journals) && bytes <= 48_000, "\(journals) \(bytes)")
        pending.markCommitted(isSnapshot: true)
        for fix in fixes[..<100] { _ = try pending.appendInput(input(fix)) }
        pending.needsInputs = true
        #expect(batch(pending)?.needsSnapshot == false)
    }
}
