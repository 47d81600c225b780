import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import OdographStore
import OdographThreads
import OdographTracking
import OdographWire
import Testing

@testable import Odograph

@Suite("The plan of the next wake-up")
struct WakeUpPlanTests {
    @Test(
        "The earliest of all due times is planned, and only that of a tick needs a tick",
        arguments: [
            ([], nil, false), ([(nil, 50)], 50, false), ([(70, 50)], 50, false), ([(50, 70)], 50, true),
            ([(90, nil), (50, nil), (70, nil)], 50, true), ([(50, nil), (nil, nil)], 50, true),
        ] as [([(Int64?, Int64?)], Int64?, Bool)])
    func earliest(times: [(Int64?, Int64?)], due: Int64?, needsTick: Bool) {
        var plan = WakeUpPlan()
        for (tick, check) in times { plan.add(tickDue: tick, checkDue: check) }
        #expect(plan.due == due)
        plan.endWait()
        #expect(plan.due == nil)
        let ticks = [49, 50].map { plan.takeTick(uptimeMilliseconds: $0) }
        #expect(ticks == [false, needsTick])
    }

    @Test("A tick is taken once, and one that is not due yet remains planned")
    func tick() {
        var plan = WakeUpPlan()
        plan.add(tickDue: 70, checkDue: 50)
        plan.endWait()
        let isEarly = plan.takeTick(uptimeMilliseconds: 50)
        plan.add(tickDue: nil, checkDue: 100)
        #expect(!isEarly && plan.due == 70)
        plan.endWait()
        let ticks = [71, 71].map { plan.takeTick(uptimeMilliseconds: $0) }
        #expect(ticks == [true, false])
    }
}

@Suite("The monitor of the source")
struct SourceMonitorTests {
    @Test("Only a source with positions can be silent")
    func activity() {
        var monitor = SourceMonitor()
        /// nil is a position.
        let events: [(SourceState?, Int64?)] = [
            (nil, nil), (.available, 1), (nil, 2), (.noFix, nil), (nil, nil), (.available, 5), (.lost, nil), (nil, nil),
        ]
        for (index, (state, expected)) in events.enumerated() {
            if let state {
                monitor.observe(state, "", uptimeMilliseconds: Int64(index))
            } else {
                monitor.observePosition(uptimeMilliseconds: Int64(index))
            }
            #expect(monitor.lastEventUptimeMilliseconds == expected, "\(index)")
        }
    }

    @Test("Each state ends the report of the state before, and only a loss has one, a minute after it began")
    func alarm() {
        var monitor = SourceMonitor()
        // The second loss is another reason of the first one, and the third one comes after a moment without a
        // position.
        let events: [(state: SourceState, uptime: Int64, due: Int64?)] = [
            (.lost, 0, 60_000), (.lost, 1, 60_000), (.noFix, 2, nil), (.lost, 2, 60_000), (.available, 3, nil),
            (.lost, 3, 60_003),
        ]
        for (index, event) in events.enumerated() {
            monitor.observe(event.state, "reason \(index)", uptimeMilliseconds: event.uptime)
            #expect(monitor.loss?.dueUptimeMilliseconds == event.due, "\(index)")
            #expect(monitor.loss?.detail == event.due.map { _ in "reason \(index)" })
        }
    }

    @Test(
        "A receiver that is back for less than a minute without a position is lost since its first loss",
        arguments: [(45_000, 60_000), (99_999, 60_000), (100_000, 160_000)])
    func weakSupply(secondLoss: Int64, due: Int64) {
        var monitor = SourceMonitor()
        for (state, uptime) in [(SourceState.lost, 0), (.noFix, 40_000), (.lost, secondLoss)] as [(SourceState, Int64)]
        {
            monitor.observe(state, "", uptimeMilliseconds: uptime)
        }
        #expect(monitor.loss?.dueUptimeMilliseconds == due)
    }
}

@Suite("The control of the schedule")
struct ScheduleControlTests {
    private let moment: ClockReading
    private let fix: Fix

    init() throws {
        moment = try ScheduleFixture.moment("2026-11-20T08:00:00Z")
        fix = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 1)[0]
    }

    @Test("In a replay only the source's events have the time of the schedule", arguments: [false, true])
    func time(isReplay: Bool) throws {
        var control = ScheduleControl(try ScheduleFixture.schedule("* * * * *"), isReplay: isReplay)
        let inputs: [TrackerInput] = [
            .fix(fix), .source(.lost, at: moment), .started(at: moment, boot: nil), .tick(moment),
            .battery(nil, at: moment), .odometer(meters: 1, at: moment),
        ]
        let times = inputs.map { control.time(before: $0) }
        let machine = isReplay ? nil : moment
        #expect(times == [fix.received, moment, nil, machine, machine, machine])
    }

    @Test("A replay has no time for a new schedule before its first event", arguments: [false, true])
    func apply(isReplay: Bool) throws {
        var control = ScheduleControl(try ScheduleFixture.schedule(nil), isReplay: isReplay)
        let closed = try ScheduleFixture.schedule("0 0 1 1 *")
        let first = control.apply(closed, state: .open, now: moment)
        #expect(first.count == (isReplay ? 0 : 1))
        #expect(control.gate.schedule == closed && control.gate.state.isOpen == isReplay)
        _ = control.time(before: .fix(fix))
        let other = try ScheduleFixture.schedule("0 0 2 1 *")
        let second = control.apply(other, state: .open, now: moment)
        #expect(second.count == (isReplay ? 1 : 0))
        #expect(!control.report(control.gate.state, at: moment).isWithin)
    }

    @Test(
        "The program is asked only while mode stop is in force, and nil ends its answer",
        arguments: [(OffScheduleRule.Mode.stop, 1), (.tag, 0), (.private, 0)])
    func override(mode: OffScheduleRule.Mode, changes: Int) throws {
        var control = ScheduleControl(try ScheduleFixture.schedule("0 0 1 1 *", off: mode), isReplay: false)
        _ = control.gate.advance(to: moment)
        let asked = Lock(0)
        let set = control.setOverride(
            {
                asked.withLock { $0 += 1 }
                return true
            }, now: moment)
        #expect(set.count == changes && asked.withLock { $0 } == changes)
        let repeated = control.updateOverride(at: moment)
        let ended = control.setOverride(nil, now: moment)
        #expect(repeated.isEmpty && ended.count == changes)
        #expect(control.gate.state.rule?.mode == mode)
    }
}

@Suite("Outlets of the recording")
struct RecordOutletsTests {
    private let location: Disclosed<TrackedLocation>

    init() throws {
        var tracker = Tracker(seed: (1, 2))
        let fixes = try ScheduleFixture.drive(from: "2026-11-20T08:00:00Z", seconds: 60)
        for fix in fixes { _ = tracker.handle(.fix(fix)) }
        location = try #require(tracker.lastLocation)
    }

    @Test("Each position request gets one answer; the stop answers the others with nil")
    func requests() async {
        var outlets = RecordOutlets(broadcasts: RecordBroadcasts()) { _ in }
        let ids = [outlets.requests.makeID(), outlets.requests.makeID()]
        #expect(Set(ids).count == 2)
        let found = await withCheckedContinuation { continuation in
            outlets.requests.wait(for: ids[0], continuation)
            outlets.execute(
                [.position(location, request: ids[0]), .position(nil, request: ids[0])],
                annotations: RecordAnnotations())
        }
        #expect(found?.timestamp == location.fix.timestamp)
        let ended = await withCheckedContinuation { continuation in
            outlets.requests.wait(for: ids[1], continuation)
            outlets.finish()
        }
        #expect(ended == nil)
    }

    @Test("A record reaches the publisher and the streams only after its commit, with its identity")
    func announcement() async throws {
        let announced = Lock<[[RecordKind: Int64]]>([])
        var outlets = RecordOutlets(broadcasts: RecordBroadcasts()) { committed in
            announced.withLock { $0.append(committed.capturedUptimeMilliseconds) }
        }
        let stream = outlets.broadcasts.locations.subscribe()
        let now = location.fix.timestamp
        let store = try await AgentStore.openInMemory(now: now).store
        let intake = Intake(deviceID: "van-7", settings: TrackingSettings(), seed: store.epochIdentity.seed)
        intake.pending.append(.location(location), uptimeMilliseconds: 0)
        let batch = try #require(intake.pending.batch)
        outlets.execute([.record(.location(location)), .sample(location)], annotations: RecordAnnotations())
        let new = intake.messages(
            of: batch.records, try await store.nextIdentities(1), annotations: RecordAnnotations())
        try await store.commit(new, journal: [], now: now)
        let stored = new.map(\.record)
        for (records, origins) in [([], []), (stored, batch.records)] {
            outlets.announce(
                records, of: origins, annotations: RecordAnnotations(),
                identities: store.epochIdentity,
                uptimeMilliseconds: 9,
                capturedUptimeMilliseconds: [.location: 7])
            #expect(outlets.lastRecordUptimeMilliseconds == (records.isEmpty ? nil : 9))
        }
        outlets.finish()
        var sequence: [Int64?] = []
        for await event in stream { sequence.append(event.seq) }
        #expect(sequence == [nil, stored[0].seq] && announced.withLock { $0 } == [[.location: 7]])
    }
}

@Suite("The time of a recording")
struct RecordingTimeTests {
    @Test("A replay has the time of its last input; what falls due follows the machine", arguments: [false, true])
    func virtual(isReplay: Bool) throws {
        let machine = ClockReading(
            systemTime: try ScheduleFixture.time("2026-11-20T12:00:00Z"), uptimeMilliseconds: 5000,
            isSystemTimeTrusted: true)
        let input = try ScheduleFixture.moment("2020-01-01T00:00:00Z")
        var time = RecordingTime(clock: TestClock(machine), usesVirtualTime: isReplay, boot: nil)
        #expect(time.now == machine && time.captureUptimeMilliseconds == (isReplay ? 5000 : nil))
        time.lastInput = input
        #expect(time.now == (isReplay ? input : machine) && time.uptimeMilliseconds == 5000)
        #expect(time.captureUptimeMilliseconds == (isReplay ? 5000 : input.uptimeMilliseconds))
    }
}

@Suite("Reading the battery")
struct BatteryPollTests {
    @Test("A machine without a battery gives no input at first; a reading is repeated after a minute")
    func none() throws {
        let folder = try TemporaryFolder()
        let moment = try ScheduleFixture.moment("2026-11-20T08:00:00Z")
        var poll = BatteryPoll(reader: BatteryReader(folder: folder.file("none")))
        let inputs = [0, 59_999, 60_000, 119_999, 120_000].map {
            poll.input(at: moment, uptimeMilliseconds: $0) != nil
        }
        #expect(inputs == [false, false, true, false, true])
    }
}
