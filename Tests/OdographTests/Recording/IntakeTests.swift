import OdographCivilTime
import OdographHarness
import OdographModel
import OdographStore
import OdographTracking
import OdographWire
import Testing

@testable import Odograph

@Suite("The intake")
struct IntakeTests {
    private static let start = "2026-11-20T08:00:00Z"
    private static let sampling = "{ sampling: { minimum_interval: 0, distance: 1 } }"

    private static func intake(_ tracking: String = sampling) throws -> Intake {
        Intake(
            deviceID: "van-7", settings: try ScheduleFixture.settings(tracking),
            seed: EpochIdentity.Seed(high: 1, low: 2))
    }

    /// Returns an intake in private time, with nothing to commit, that has driven before.
    private static func privateIntake() throws -> Intake {
        let intake = try intake()
        try drive(intake, seconds: 60)
        let moment = try ScheduleFixture.moment("2026-11-20T08:01:00Z")
        _ = intake.handle(
            .schedule(.closed(OffScheduleRule(mode: .private, tag: "")), at: moment), uptimeMilliseconds: 0)
        intake.requestSnapshot(uptimeMilliseconds: 0)
        intake.pending.markCommitted(isSnapshot: true)
        return intake
    }

    /// Continues a drive at 12 m/s with one position a second.
    @discardableResult
    private static func drive(_ intake: Intake, seconds: Int, from second: Int = 0) throws -> [Intake.Effects] {
        let start = try ScheduleFixture.time(start).advanced(bySeconds: Double(second)).description
        return try ScheduleFixture.drive(from: start, seconds: seconds, atSecond: second).map {
            intake.handle(.fix($0), uptimeMilliseconds: $0.received.uptimeMilliseconds)
        }
    }

    private static func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

    @Test("The next commit contains the records and either their inputs or a snapshot", arguments: [false, true])
    func commit(isSnapshot: Bool) throws {
        let intake = try Self.intake()
        try Self.drive(intake, seconds: 10)
        intake.sourceOrdinal = 10
        if isSnapshot { intake.pending.needsSnapshot = true }
        let batch = try #require(intake.pending.batch)
        #expect(!batch.records.isEmpty)
        let state = try intake.state(for: batch)
        #expect(state.journal.isEmpty == isSnapshot && (state.snapshot != nil) == isSnapshot)
        guard !isSnapshot else {
            let bytes = try #require(state.snapshot)
            let snapshot = try StateSnapshot(bytes: bytes)
            #expect(snapshot.sourceOrdinal == 10 && snapshot.tracker == intake.tracker)
            return
        }
        let entry = try InputJournalEntry(bytes: state.journal)
        #expect(entry.sourceOrdinal == 10 && entry.inputs.readable.count == 10)
        #expect(entry.odometerMeters == intake.tracker.odometerMeters)
    }

    @Test("In private time neither the journal nor a snapshot gets a position, and the odometer runs on")
    func privateTime() throws {
        let intake = try Self.privateIntake()
        let before = intake.tracker.odometerMeters
        let effects = try Self.drive(intake, seconds: 120, from: 60)
        #expect(intake.tracker.isPrivate && intake.tracker.odometerMeters > before + 1000)
        #expect(effects.allSatisfy { $0.outputs.isEmpty })
        #expect(effects.contains { $0.needsCommit })
        let moment = try ScheduleFixture.moment("2026-11-20T08:03:00Z")
        #expect(intake.tracker.currentLocation(at: moment) == nil)
        let batch = try #require(intake.pending.batch)
        #expect(batch.inputJournal.bytes.isEmpty && batch.needsSnapshot)
        #expect(batch.records.allSatisfy { if case .timeline = $0 { true } else { false } })
        let saved = Self.text(try intake.state(for: batch).snapshot)
        #expect(saved.contains("odometer") && !saved.contains("latitude") && !saved.contains("oordinate"), "\(saved)")
    }

    @Test("In private time a joined state is saved without positions, although its tracker has them")
    func joinedInPrivateTime() throws {
        let intake = try Self.privateIntake()
        let other = try Self.intake()
        try Self.drive(other, seconds: 60)
        #expect(Self.text(try other.snapshot(of: other.tracker)).contains("latitude"))
        let saved = Self.text(try intake.snapshot(of: other.tracker))
        #expect(!saved.contains("latitude") && !saved.contains("oordinate"), "\(saved)")
    }

    @Test("A lost state matters until a new position, a lost odometer until it is set", arguments: [false, true])
    func loss(isOdometerLost: Bool) throws {
        let intake = try Self.intake()
        intake.stateLoss = Recovery.Loss(text: "", isOdometerLost: isOdometerLost)
        let effects = try Self.drive(intake, seconds: 3)
        #expect(effects.map(\.isLossResolved) == [!isOdometerLost, false, false])
        let set = intake.handle(
            .odometer(meters: 7, at: try ScheduleFixture.moment("2026-11-20T08:00:03Z")), uptimeMilliseconds: 0)
        #expect(set.isLossResolved == isOdometerLost && intake.stateLoss == nil)
    }

    @Test("While waiting fixes get their date, no further ones are taken and nothing is due")
    func dating() throws {
        let intake = try Self.intake()
        let unknown = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 0, isSystemTimeTrusted: false)
        var fix = try ScheduleFixture.drive(from: Self.start, seconds: 1)[0]
        fix.received = unknown
        _ = intake.handle(.undated(ReceivedFix(fix, hasReceiverDate: false)), uptimeMilliseconds: 0)
        #expect(intake.tracker.hasUndatedFixes)
        let known = ClockReading(
            systemTime: try ScheduleFixture.time(Self.start), uptimeMilliseconds: 1000, isSystemTimeTrusted: true)
        intake.pending.phase = .dating
        #expect(intake.takeDatedFixes(at: known).isEmpty)
        intake.pending.phase = .current
        #expect(intake.takeDatedFixes(at: unknown).isEmpty)
        #expect(intake.takeDatedFixes(at: known).count == 1)
        try Self.drive(intake, seconds: 10)
        for (phase, isDue) in [(PendingCommit.Phase.current, true), (.late, true), (.dating, false)] {
            intake.pending.phase = phase
            #expect(intake.pending.isDue(intervalSeconds: 0, uptimeMilliseconds: .max) == isDue)
        }
    }

    @Test(
        "A run in memory is joined with an earlier one, or continues it if it has measured nothing",
        arguments: [false, true])
    func joining(hasDriven: Bool) async throws {
        let earlier = try Self.intake()
        try Self.drive(earlier, seconds: 100)
        let now = try ScheduleFixture.time("2026-11-20T08:10:00Z")
        let store = try await AgentStore.openInMemory(now: now).store
        try await store.commit(journal: [], snapshot: try earlier.snapshot(of: earlier.tracker), now: now)
        let intake = try Self.intake()
        var memory = MemoryRun()
        for fix in hasDriven ? try ScheduleFixture.drive(from: "2026-11-20T08:10:00Z", seconds: 50, atSecond: 100) : []
        {
            _ = intake.handle(.fix(fix), uptimeMilliseconds: 0)
            memory.observe(.fix(fix), by: intake.tracker)
        }
        intake.pending.markCommitted(isSnapshot: false)
        let joined = JoinedRun(
            intake.tracker, in: memory, after: PreviousRunState(try await store.contents()),
            configuration: intake.settings.core)
        #expect(joined.isEarlierOnly != hasDriven && joined.loss == nil)
        let driven = earlier.tracker.odometerMeters + (hasDriven ? intake.tracker.odometerMeters : 0)
        // The distance between the runs, 12 m, counts too.
        #expect((0...30).contains(joined.tracker.odometerMeters - driven))
        let outputs = intake.adopt(joined, uptimeMilliseconds: 0)
        #expect(outputs.isEmpty && intake.stateLoss == nil)
        #expect(
            intake.tracker.odometerMeters == joined.tracker.odometerMeters
                && intake.pending.batch?.needsSnapshot == true)
    }
}
