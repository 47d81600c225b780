import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographThreads
import OdographTracking
import OdographWire

@testable import Odograph

/// A machine without a clock battery. Its clock counts from 1970 at power-on, and its receiver reports no date.
private struct Box {
    static let drive = "2026-11-20T12:00:00Z"
    let folder: TemporaryFolder
    let store: AgentStore
    let fixture: PipelineFixture
    /// The capture uptimes of locations that the pipeline passed to the publisher, one for each commit.
    let captured: CaptureLog

    final class CaptureLog: Sendable {
        let uptimes = Lock<[Int64?]>([])
    }

    /// - Parameters:
    ///   - seconds: The uptime of the machine.
    ///   - killed: A killed agent, whose database files are copied.
    init(bootedSecondsAgo seconds: Int, boot: String, killed: Box? = nil) async throws {
        let folder = try TemporaryFolder()
        if let killed {
            for name in ["agent.db", "agent.db-wal", "agent.db-numbers"] {
                _ = try await ChildProcess.run("cp", [killed.folder.file(name), folder.file(name)])
            }
        }
        let uptime = Timestamp(millisecondsSinceEpoch: Int64(seconds) * 1000)
        let moment = ClockReading(
            systemTime: uptime, uptimeMilliseconds: uptime.millisecondsSinceEpoch, isSystemTimeTrusted: false)
        let log = CaptureLog()
        store = try await AgentStore.open(at: folder.file("agent.db"), now: uptime).store
        fixture = try await PipelineFixture("{}", at: moment, store: store, boot: boot) { _, captured in
            log.uptimes.withLock { $0.append(captured[.location]) }
        }
        self.folder = folder
        captured = log
    }

    /// Continues the drive with one position a second.
    func drive(seconds: Range<Int>, isDated: Bool = false) async throws {
        let fixes = try ScheduleFixture.drive(from: Self.drive, seconds: seconds.upperBound)
        for var fix in fixes[seconds] {
            fixture.clock.advance(bySeconds: 1)
            fix.received = fixture.clock.now()
            await fixture.pipeline.receive(SourceEvent(isDated ? .fix(fix) : .undatedFix(fix), ordinal: 0))
        }
    }

    /// Sets the system time to the time of a second of the drive.
    func setClock(toSecond second: Int) throws {
        fixture.clock.set(try ScheduleFixture.time(Self.drive).advanced(bySeconds: Double(second)))
    }

    func records() async throws -> [StoredRecord] { try await store.unacknowledged(limit: 10_000) }

    func locations() async throws -> [LocationEvent] {
        try await records().filter { $0.kind == .location }.map {
            try JSONCoder.decode(LocationMessage.self, from: $0.payload).location
        }
    }

    func events() async throws -> [TimelineEventRevision] {
        try await records().filter { $0.kind == .timeline }.map {
            try JSONCoder.decode(TimelineMessage.self, from: $0.payload).timelineEvent
        }
    }

    /// Expects every location up to a second to have its right date, in order.
    func expectDated(untilSecond last: Int) async throws {
        let begin = try ScheduleFixture.time(Self.drive)
        let locations = try await locations()
        #expect(locations.first?.timestamp == begin)
        #expect(locations.allSatisfy { $0.clockUntrusted == nil })
        #expect(zip(locations, locations.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        #expect(locations.count >= last / 10)
        for location in locations {
            let second = location.timestamp.seconds(since: begin)
            #expect(abs(location.coords.longitude - (-3 + second * 12 / 85_394)) < 1e-6)
        }
        #expect(try await events().allSatisfy { $0.startDate == begin })
    }
}

@Suite("The pipeline before the time is known")
struct RecorderDatingTests {
    @Test("Waiting positions are saved, and are dated in order when the system time is set, but are not live")
    func clockIsSet() async throws {
        let box = try await Box(bootedSecondsAgo: 20, boot: "a")
        try await box.drive(seconds: 0..<200)
        #expect(try await box.records().isEmpty)
        try box.setClock(toSecond: 199)
        // The receiver sends nothing; the pipeline checks the clock on its own.
        box.fixture.clock.advance(bySeconds: 40)
        _ = try await eventually { try await box.records().isEmpty ? nil : true }
        try await box.expectDated(untilSecond: 199)
        // The newest record was captured when its position was received, more than 40 s ago, so it is not live.
        let newest = try #require(try await box.locations().map(\.timestamp).max())
        let second = newest.seconds(since: try ScheduleFixture.time(Box.drive))
        #expect(box.captured.uptimes.withLock { $0.first } == Int64((second + 21) * 1000))
        await box.fixture.pipeline.stop()
    }

    @Test(
        "If the agent is killed and restarted without a reboot, no waiting position is lost and all are dated")
    func killed() async throws {
        let box = try await Box(bootedSecondsAgo: 20, boot: "a")
        try await box.drive(seconds: 0..<200)
        let again = try await Box(bootedSecondsAgo: 220, boot: "a", killed: box)
        #expect(try await again.records().isEmpty)
        try await again.drive(seconds: 200..<230)
        let third = try await Box(bootedSecondsAgo: 250, boot: "a", killed: again)
        try await third.drive(seconds: 230..<260, isDated: true)
        try await third.expectDated(untilSecond: 259)
        // The agent is killed again right afterwards; the records are published only once.
        let last = try await Box(bootedSecondsAgo: 280, boot: "a", killed: third)
        try await last.drive(seconds: 260..<270, isDated: true)
        try await last.expectDated(untilSecond: 269)
        for box in [box, again, third, last] { await box.fixture.pipeline.stop() }
    }

    @Test(
        "After a power-off the waiting positions are published once, with an untrusted clock, and never live")
    func turnedOff() async throws {
        let box = try await Box(bootedSecondsAgo: 20, boot: "a")
        try await box.drive(seconds: 0..<200)
        let other = try await Box(bootedSecondsAgo: 15, boot: "b", killed: box)
        let told = try await other.locations()
        #expect(told.count >= 19 && told.allSatisfy { $0.clockUntrusted == true })
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.coords.longitude < $1.coords.longitude })
        #expect(other.captured.uptimes.withLock { $0 } == [nil])
        #expect(try await other.events().isEmpty)
        let faults = try await other.records().map {
            try ContractValidator.running().errors(
                schema: "location-message", payload: String(decoding: $0.payload, as: UTF8.self))
        }
        #expect(faults.allSatisfy { $0 == [] })
        let third = try await Box(bootedSecondsAgo: 30, boot: "c", killed: other)
        #expect(try await third.locations() == told)
        for box in [box, other, third] { await box.fixture.pipeline.stop() }
    }
}
