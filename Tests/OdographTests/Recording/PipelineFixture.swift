import OdographCivilTime
import OdographHarness
import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking

@testable import Odograph

/// A pipeline with a database in memory and a clock that the test sets.
struct PipelineFixture {
    let store: AgentStore
    let clock: TestClock
    let pipeline: InputPipeline
    let problems: ProblemRegistry
    /// The ordinal of the last source event that the previous run had handled.
    let ordinal: Int64

    init(
        _ tracking: String, at moment: ClockReading, store: AgentStore? = nil, boot: String? = nil,
        geofences: GeofenceSet? = nil, power: BatteryReader = BatteryReader(), zoneWatch: ZoneWatch = ZoneWatch(),
        committed: @escaping @Sendable ([StoredRecord], [RecordKind: Int64]) -> Void = { _, _ in }
    ) async throws {
        clock = TestClock(moment)
        self.store =
            if let store { store } else { try await AgentStore.openInMemory(now: moment.systemTime).store }
        problems = ProblemRegistry(clock: clock)
        pipeline = InputPipeline(
            store: self.store, deviceID: "van-7", settings: try ScheduleFixture.settings(tracking), clock: clock,
            usesVirtualTime: false, boot: boot, batteryReader: power, zoneWatch: zoneWatch,
            problems: problems,
            onCommit: { committed($0.records, $0.capturedUptimeMilliseconds) },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        ordinal = await pipeline.restore { $0 == geofences?.identity ? geofences : nil }
    }

    /// Continues the drive at 12 m/s with one position a second.
    func drive(seconds: Int, from second: Int, at start: String) async throws {
        for fix in try ScheduleFixture.drive(from: start, seconds: seconds, atSecond: second) { await take(fix) }
    }

    /// Stays at the position of a second of the drive, with one position a second.
    func stand(seconds: Int, at second: Int, metersPerSecond speed: Double = 0) async throws {
        var fix = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 1, atSecond: second)[0]
        fix.speedMetersPerSecond = speed
        fix.headingDegrees = nil
        for _ in 0..<seconds { await take(fix) }
    }

    private func take(_ fix: Fix) async {
        clock.advance(bySeconds: 1)
        var fix = fix
        fix.timestamp = clock.now().systemTime
        fix.received = clock.now()
        await pipeline.receive(SourceEvent(.fix(fix), ordinal: clock.now().uptimeMilliseconds))
    }
}

/// Parts of the pipeline that only tests read.
extension InputPipeline {
    var tracker: Tracker { intake.tracker }
    var stateLoss: Recovery.Loss? { intake.stateLoss }
    var gate: ScheduleGate { schedule.gate }
    var shouldTrackOutsideSchedule: (@Sendable () -> Bool)? { schedule.shouldTrackOutsideSchedule }
    var privateSnapshotPolicy: PrivateSnapshotPolicy { intake.privateSnapshotPolicy }
}
