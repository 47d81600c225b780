import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A gate on a machine whose clock is not set, and a receiver with occasional fixes.
private struct UnsetMachine {
    var gate: ScheduleGate
    /// The true time at uptime 0.
    let boot: Timestamp
    var uptimeMilliseconds: Int64 = 5000

    init(boot: Timestamp, state: ScheduleGate.State) throws {
        let schedule = try ScheduleFixture.schedule("* 10-20 * * *", off: .private)
        gate = ScheduleGate(schedule: schedule, state: state)
        self.boot = boot
    }

    var now: Timestamp { boot.advanced(byMilliseconds: uptimeMilliseconds) }

    /// Advances the time and adds a fix, with the true time unless another date is given.
    mutating func fix(_ date: Timestamp? = nil, afterMilliseconds milliseconds: Int64 = 1000) throws {
        uptimeMilliseconds += milliseconds
        let moment = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: uptimeMilliseconds), uptimeMilliseconds: uptimeMilliseconds,
            isSystemTimeTrusted: false)
        let place = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3))
        gate.observe(Fix(timestamp: date ?? now, received: moment, coordinate: place))
        _ = gate.advance(to: moment)
    }
}

@Suite("Private time and the evidence for the date")
struct PrivateScheduleTests {
    private static let isPrivate = ScheduleGate.State.closed(OffScheduleRule(mode: .private))

    @Test(
        "Fewer than ten wrong dates never end private time, at any position and with any value", arguments: 0..<20
    )
    func fewWrongDates(block: UInt64) throws {
        for seed in block * 100..<block * 100 + 100 {
            var random = SplitMix64(seed: seed)
            let start = try ScheduleFixture.time(
                Bool.random(using: &random) ? "2026-11-20T21:01:00Z" : "2026-11-21T09:55:00Z")
            var machine = try UnsetMachine(boot: start, state: Self.isPrivate)
            // Equal and consecutive, or scattered.
            let isRun = Bool.random(using: &random)
            let first = Int.random(in: 0..<50, using: &random)
            let wrong = Set(
                (0..<Int.random(in: 1...9, using: &random)).map {
                    isRun ? first + $0 : Int.random(in: 0..<60, using: &random)
                })
            let offset = Int64.random(in: -20_000...20_000, using: &random) * 1000
            for index in 0..<60 {
                let kinds: [Timestamp] = [
                    machine.now.advanced(byMilliseconds: 1000 + offset), machine.now.advanced(bySeconds: 43_200),
                    machine.now.advanced(bySeconds: Double.random(in: 0...31, using: &random)),
                    try ScheduleFixture.time("1980-01-06T12:00:00Z"), try ScheduleFixture.time("2046-07-06T12:00:00Z"),
                ]
                let date = wrong.contains(index) ? isRun ? kinds[0] : kinds.randomElement(using: &random) : nil
                try machine.fix(date, afterMilliseconds: Int64.random(in: 100...4000, using: &random))
                #expect(!machine.gate.state.isOpen, "seed \(seed), fix \(index)")
                guard machine.now < (try ScheduleFixture.time("2026-11-21T09:59:00Z")) else { break }
            }
        }
    }

    @Test("After the last wrong date exactly ten right ones within 30 s end private time", arguments: 0..<20)
    func rightDates(block: UInt64) throws {
        for seed in block * 20..<block * 20 + 20 {
            var random = SplitMix64(seed: seed)
            var machine = try UnsetMachine(
                boot: try ScheduleFixture.time("2026-11-20T12:00:00Z"), state: Self.isPrivate)
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                let date = machine.now.advanced(bySeconds: Double(Int.random(in: -100_000...100_000, using: &random)))
                try machine.fix(Bool.random(using: &random) ? date : nil)
            }
            try machine.fix(try ScheduleFixture.time("2026-11-20T05:00:00Z"))
            let wrong = machine.uptimeMilliseconds
            var count = 0
            while !machine.gate.state.isOpen, count < 100 {
                try machine.fix(afterMilliseconds: Int64.random(in: 200...8000, using: &random))
                count += 1
            }
            let elapsed = machine.uptimeMilliseconds - wrong
            #expect(machine.gate.state.isOpen && count >= 10, "seed \(seed)")
            // The run's first date comes up to 8 s after the wrong one, and so does the date that completes the 30 s.
            #expect(elapsed >= 30_000 && (count == 10 || elapsed <= 46_000), "seed \(seed): \(count) in \(elapsed) ms")
        }
    }

    @Test("Older dates between the others, as of a receiver that predicts positions, do not keep private time")
    func olderDates() throws {
        var machine = try UnsetMachine(
            boot: try ScheduleFixture.time("2026-11-21T10:05:00Z"), state: Self.isPrivate)
        for second in 0..<31 {
            try machine.fix(afterMilliseconds: 900)
            try machine.fix(machine.now.advanced(byMilliseconds: -300), afterMilliseconds: 100)
            // 30 s after the first one they are certain.
            #expect(machine.gate.state.isOpen == (second >= 30), "\(second)")
        }
    }

    @Test("Of two dates a second that are half a minute apart, the older one ends private time")
    func alternatingDates() throws {
        var machine = try UnsetMachine(
            boot: try ScheduleFixture.time("2026-11-21T09:58:00Z"), state: Self.isPrivate)
        let opening = try ScheduleFixture.time("2026-11-21T10:00:00Z")
        while machine.now < opening.advanced(bySeconds: 5) {
            try machine.fix(machine.now.advanced(byMilliseconds: 25_900), afterMilliseconds: 900)
            try machine.fix(afterMilliseconds: 100)
            #expect(machine.gate.state.isOpen == (machine.now >= opening), "\(machine.now)")
        }
    }

    @Test("A single date is enough to enter private time while only the receiver reports the time")
    func entering() throws {
        var machine = try UnsetMachine(boot: try ScheduleFixture.time("2026-11-20T12:00:00Z"), state: .open)
        for _ in 0..<60 { try machine.fix() }
        #expect(machine.gate.state.isOpen)
        try machine.fix(try ScheduleFixture.time("2026-11-20T05:00:00Z"))
        #expect(machine.gate.state == Self.isPrivate)
    }

    /// The machine's clock, the receiver's date (nil: no fixes), and whether private time ends.
    private static let clocks: [(machine: String?, receiver: String?, isOpen: Bool)] = [
        ("2026-11-20T12:00:00Z", nil, true),
        ("2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z", true),
        // Set to a wrong time by hand: the consistent dates of the receiver contradict it.
        ("2026-11-20T12:00:00Z", "2026-11-20T05:00:00Z", false),
        // A receiver with a week rollover, and one without the leap seconds.
        ("2026-11-20T12:00:00Z", "2007-04-06T12:00:00Z", true),
        ("2026-11-20T12:00:00Z", "2026-11-20T12:00:18Z", true),
        ("2026-11-20T05:00:00Z", "2026-11-20T12:00:00Z", false),
        (nil, "2026-11-20T12:00:00Z", true), (nil, "2026-11-20T05:00:00Z", false), (nil, nil, false),
    ]

    @Test("Machine and receiver must both be outside private time if both are known", arguments: clocks)
    func table(clock: (machine: String?, receiver: String?, isOpen: Bool)) throws {
        let schedule = try ScheduleFixture.schedule("* 10-20 * * *", off: .private)
        // The previous state makes no difference while the time is not known well enough.
        for state in [Self.isPrivate, .open] {
            var gate = ScheduleGate(schedule: schedule, state: state)
            let place = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3))
            for second in 0..<60 {
                let uptime = Int64(second) * 1000 + 5000
                let machine = try clock.machine.map(ScheduleFixture.time)?.advanced(bySeconds: Double(second))
                let moment = ClockReading(
                    systemTime: machine ?? Timestamp(millisecondsSinceEpoch: uptime), uptimeMilliseconds: uptime,
                    isSystemTimeTrusted: machine != nil)
                if let date = try clock.receiver.map(ScheduleFixture.time) {
                    gate.observe(
                        Fix(timestamp: date.advanced(bySeconds: Double(second)), received: moment, coordinate: place))
                }
                _ = gate.advance(to: moment)
            }
            #expect(gate.state.isOpen == clock.isOpen)
        }
    }

    @Test(
        "Without its time server the clock counts by uptime, and an untrusted step out of private time is rejected"
    )
    func lostServer() throws {
        var machine = try UnsetMachine(boot: try ScheduleFixture.time("2026-11-20T05:00:00Z"), state: .open)
        func moment(_ text: String, _ uptime: Int64, isTrusted: Bool) throws -> ClockReading {
            ClockReading(
                systemTime: try ScheduleFixture.time(text), uptimeMilliseconds: uptime, isSystemTimeTrusted: isTrusted)
        }
        _ = machine.gate.advance(to: try moment("2026-11-20T05:00:05Z", 5000, isTrusted: true))
        #expect(!machine.gate.state.isOpen)
        _ = machine.gate.advance(to: try moment("2026-11-20T12:00:06Z", 6000, isTrusted: false))
        #expect(!machine.gate.state.isOpen)
        let fiveHours: Int64 = 5 * 3600 * 1000
        _ = machine.gate.advance(to: try moment("1970-01-01T00:00:00Z", 5000 + fiveHours, isTrusted: false))
        #expect(machine.gate.state.isOpen)
    }

    @Test(
        "If the receiver lags behind the machine at the opening, the gate is due when both are past it",
        arguments: [(18, 18.0), (30, 30), (31, nil)] as [(Int64, Double?)])
    func lag(seconds: Int64, due: Double?) throws {
        var gate = ScheduleGate(
            schedule: try ScheduleFixture.schedule("* 10-20 * * *", off: .private), state: Self.isPrivate)
        let opening = try ScheduleFixture.time("2026-11-20T10:00:00Z")
        let place = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3))
        func moment(_ uptime: Int64) -> ClockReading {
            ClockReading(
                systemTime: opening.advanced(byMilliseconds: uptime - 60_000), uptimeMilliseconds: uptime,
                isSystemTimeTrusted: true)
        }
        for uptime in stride(from: Int64(0), through: 60_000, by: 1000) {
            let now = moment(uptime)
            gate.observe(
                Fix(
                    timestamp: now.systemTime.advanced(byMilliseconds: -seconds * 1000), received: now,
                    coordinate: place))
            _ = gate.advance(to: now)
        }
        #expect(!gate.state.isOpen)
        let next = due ?? 36_000 + 3600
        #expect(gate.secondsUntilDue(at: moment(60_000)) == next)
        guard due != nil else { return }
        _ = gate.advance(to: moment(60_000 + seconds * 1000 - 1))
        #expect(!gate.state.isOpen)
        _ = gate.advance(to: moment(60_000 + seconds * 1000))
        #expect(gate.state.isOpen)
    }

    @Test(
        "In a replay ten consecutive dates outside private time are needed",
        arguments: [1, 9, 10])
    func replay(count: Int) throws {
        let schedule = try ScheduleFixture.schedule("* 10-20 * * *", off: .private)
        var gate = ScheduleGate(schedule: schedule, state: Self.isPrivate, isReplay: true)
        for fix in try ScheduleFixture.drive(from: "2026-11-20T05:00:00Z", seconds: 20) {
            gate.observe(fix)
            _ = gate.advance(to: fix.received)
        }
        var states: [Bool] = []
        for fix in try ScheduleFixture.drive(from: "2026-11-20T12:00:00Z", seconds: count) {
            gate.observe(fix)
            _ = gate.advance(to: fix.received)
            states.append(gate.state.isOpen)
        }
        #expect(states == (0..<count).map { $0 >= 9 })
        // A single private date ends it at once.
        let back = try ScheduleFixture.drive(from: "2026-11-20T05:00:20Z", seconds: 1)[0]
        gate.observe(back)
        _ = gate.advance(to: back.received)
        #expect(!gate.state.isOpen)
    }

    @Test(
        "The machine, three fixes, or ten with private time make the time known",
        arguments: [.tag, .stop, .private] as [OffScheduleRule.Mode])
    func isKnown(mode: OffScheduleRule.Mode) throws {
        let schedule = try ScheduleFixture.schedule("* 10-20 * * *", off: mode)
        func unset(_ second: Int64) -> ClockReading {
            ClockReading(
                systemTime: Timestamp(millisecondsSinceEpoch: second * 1000), uptimeMilliseconds: second * 1000,
                isSystemTimeTrusted: false)
        }
        #expect(ScheduleGate(schedule: try ScheduleFixture.schedule(nil, off: mode)).isTimeKnown(at: unset(0)))
        var set = ScheduleGate(schedule: schedule)
        let noon = try ScheduleFixture.moment("2026-11-20T12:00:00Z")
        _ = set.advance(to: noon)
        #expect(set.isTimeKnown(at: noon))
        var gate = ScheduleGate(schedule: schedule)
        let boot = try ScheduleFixture.time("2026-11-20T12:00:00Z")
        let place = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3))
        var known: [Bool] = []
        for second in Int64(0)..<40 {
            known.append(gate.isTimeKnown(at: unset(second)))
            gate.observe(
                Fix(timestamp: boot.advanced(bySeconds: Double(second)), received: unset(second), coordinate: place))
            _ = gate.advance(to: unset(second))
        }
        let first = mode == .private ? 31 : DateEvidence.fixesToTrustTime
        #expect(known == (0..<40).map { $0 >= first })
    }

    @Test("Without a schedule nothing is private, and a schedule that is always private has no exception")
    func bounds() throws {
        let machine = try UnsetMachine(boot: try ScheduleFixture.time("2026-11-20T05:00:00Z"), state: .open)
        #expect(machine.gate.schedule.hasPrivateTime)
        var free = ScheduleGate(
            schedule: try ScheduleFixture.schedule(nil, off: .private))
        let noon = try ScheduleFixture.moment("2026-11-20T12:00:00Z")
        #expect(free.advance(to: noon) == [] && free.state.isOpen)
        #expect(free.apply(.alwaysPrivate(zone: .utc), at: noon).map(\.state) == [Self.isPrivate])
        #expect(free.secondsUntilDue(at: noon) == nil && free.nextChanges(10, after: noon).isEmpty)
        #expect(free.setOverride(true, at: noon) == [])
        #expect(free.advance(to: try ScheduleFixture.moment("2027-11-20T12:00:00Z")) == [])
    }
}
