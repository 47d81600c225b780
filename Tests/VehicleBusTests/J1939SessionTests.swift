import OdographHarness
import OdographModel
import Testing

@testable import OdographVehicleBus

@Suite("J1939")
struct J1939SessionTests {
    /// A speed in a town, km/h.
    private static let town = 36.0

    @Test("A bus gives signals once a second, whatever its rate")
    func rate() {
        var bus = Bus()
        bus.run(seconds: 60) { _ in [.wheelSpeed(0), .engine(600)] }
        #expect((59...62).contains(bus.signals.count))
        #expect(bus.states == [.available])
        #expect(bus.signals.allSatisfy { $0.source == .j1939 })
    }

    @Test("Start and stop are reported within a second")
    func transitions() throws {
        var bus = Bus()
        bus.run(seconds: 20) { _ in [.wheelSpeed(0), .engine(600)] }
        let departure = bus.uptimeMilliseconds
        bus.run(seconds: 20) { [.wheelSpeed(min($0 * 4, Self.town)), .engine(1200)] }
        bus.run(seconds: 9) { [.wheelSpeed(Self.town - $0 * 4), .engine(900)] }
        let halt = bus.uptimeMilliseconds
        bus.run(seconds: 5) { _ in [.wheelSpeed(0), .engine(600)] }
        let first = try #require(bus.signals.first { ($0.wheelSpeedMetersPerSecond ?? 0) > 0 })
        #expect(first.received.uptimeMilliseconds - departure <= 300)
        let last = try #require(
            bus.signals.first { $0.wheelSpeedMetersPerSecond == 0 && $0.received.uptimeMilliseconds > departure + 1000 }
        )
        #expect(last.received.uptimeMilliseconds - halt <= 300)
    }

    @Test("Silence after a standstill without engine means that the ignition is off")
    func switchedOff() {
        var bus = Bus()
        bus.run(seconds: 10) { _ in [.wheelSpeed(0), .engine(600)] }
        #expect(bus.signals.compactMap(\.isIgnitionOn).last == true)
        bus.run(seconds: 3) { _ in [.wheelSpeed(0), .engine(0)] }
        bus.run(seconds: 20)
        #expect(bus.signals.last?.isIgnitionOn == false)
        #expect(bus.states == [.available, .silent])
        #expect(bus.session.deadlineUptimeMilliseconds == nil)
        bus.run(seconds: 2) { _ in [.wheelSpeed(0), .engine(700)] }
        #expect(bus.signals.last?.isIgnitionOn == true)
        #expect(bus.states == [.available, .silent, .available])
    }

    @Test("Silence at speed means that the bus is lost, not that the ignition is off")
    func unplugged() {
        var bus = Bus()
        bus.run(seconds: 20) { [.wheelSpeed(min($0 * 4, Self.town))] }
        bus.run(seconds: 20)
        #expect(bus.states == [.available, .lost])
        #expect(!bus.signals.contains { $0.isIgnitionOn == false })
    }

    @Test("A failed interface is reported once, and again after it has worked")
    func failure() {
        var bus = Bus()
        bus.fail(because: "it is down")
        bus.fail(because: "it is down")
        bus.run(seconds: 1) { _ in [.wheelSpeed(0)] }
        bus.fail(because: "bus-off")
        #expect(bus.states == [.lost, .available, .lost])
    }

    @Test("A node that sends 250 km/h at standstill is not believed if a distance counter stands still")
    func falseSpeedWithCounter() {
        for isCoarse in [false, true] {
            var bus = Bus()
            bus.run(seconds: 300) { seconds in
                let isSecond = Int((seconds * 10).rounded()) % 10 == 0
                return [.wheelSpeed(250), isSecond ? isCoarse ? .coarseCounter(1_000_000) : .counter(1_000_000) : nil]
            }
            #expect(bus.speeds == [])
            #expect(bus.doubts.count == 1)
            #expect(bus.doubts.first??.contains("contradicts the vehicle's distance counter") == true)
            #expect(bus.signals.compactMap(\.odometerMeters).last == 1_000_000)
        }
    }

    @Test("A counter that is new, and therefore doubtful, still contradicts a false speed")
    func falseSpeedWithNewCounter() {
        var bus = Bus()
        bus.run(seconds: 3) { _ in [.counter(500_000_000), .wheelSpeed(0)] }
        bus.run(seconds: 10)
        bus.run(seconds: 40) { _ in [.counter(1_000_000), .wheelSpeed(250)] }
        #expect(bus.speeds.allSatisfy { $0 == 0 })
    }

    @Test("A node that jumps from 0 to 250 km/h is not believed, and the jump is reported")
    func jump() {
        var bus = Bus()
        bus.run(seconds: 10) { _ in [.wheelSpeed(0)] }
        bus.run(seconds: 5) { _ in [.wheelSpeed(250)] }
        bus.run(seconds: 10) { _ in [.wheelSpeed(0)] }
        #expect(bus.speeds.allSatisfy { $0 == 0 })
        #expect(bus.doubts.count == 2)
        #expect(bus.doubts.last == .some(nil))
        #expect(bus.speeds.count > 10)
    }

    @Test("Random speeds are not believed after they stopped contradicting the counter", arguments: 1...5)
    func randomSpeeds(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var bus = Bus()
        bus.run(seconds: 20) { _ in
            [.counter(1_000_000), .wheelSpeed(Double.random(in: 0...250, using: &generator))]
        }
        bus.run(seconds: 300) { _ in [.wheelSpeed(Double.random(in: 0...250, using: &generator))] }
        #expect(bus.speeds == [])
    }

    @Test("A node that alternates between values is never believed")
    func alternating() {
        var bus = Bus()
        var isHigh = false
        bus.run(seconds: 60) { _ in
            isHigh.toggle()
            return [.wheelSpeed(isHigh ? 250 : 0)]
        }
        // The first value, 250, is too fast to be believed at once, and what follows is a jump each time.
        #expect(bus.speeds == [])
    }

    @Test("Of two senders the false one is left, and the true one is used")
    func falseSenderBesideTrueOne() {
        var bus = Bus()
        var driven = 5000.0
        bus.run(seconds: 10) { _ in [.wheelSpeed(0, from: 0), .wheelSpeed(0, from: 11), .counter(driven)] }
        bus.run(seconds: 60) { seconds in
            let speed = min(seconds * 4, 72)
            driven += speed / 3.6 / 10
            return [.wheelSpeed(250, from: 0), .wheelSpeed(speed, from: 11), .counter(driven)]
        }
        let largest = bus.speeds.max() ?? 0
        #expect(abs(largest - 20) < 0.01)
        #expect(bus.signals.last?.wheelSpeedMetersPerSecond.map { abs($0 - 20) < 0.01 } == true)
        #expect(bus.doubts.last??.contains("address 0") == true)
    }

    @Test("One of several senders is used until it is silent")
    func arbitration() {
        var bus = Bus()
        bus.run(seconds: 10) { _ in [.wheelSpeed(0, from: 11)] }
        bus.run(seconds: 20) { seconds in
            [.wheelSpeed(min(seconds * 4, 36), from: 11), .wheelSpeed(min(seconds * 4, 36) * 1.03, from: 0)]
        }
        #expect(bus.speeds.last.map { abs($0 - 10) < 0.01 } == true)
        bus.run(seconds: 5) { _ in [.wheelSpeed(36 * 1.03, from: 0)] }
        #expect(bus.speeds.last.map { abs($0 - 10.3) < 0.01 } == true)
    }

    @Test("A speed that is not available does not keep its sender selected")
    func unavailable() {
        var bus = Bus()
        bus.run(seconds: 10) { _ in [.wheelSpeed(0, from: 0), .wheelSpeed(0, from: 11)] }
        let none = CANFrame(identifier: 0x18FE_F100, isExtended: true, bytes: [0xFF, 0xFF, 0xFF])
        bus.run(seconds: 10) { [none, .wheelSpeed(min($0 * 4, 36), from: 11)] }
        #expect(bus.speeds.last.map { abs($0 - 10) < 0.01 } == true)
    }

    @Test("The counter of high resolution is preferred, and the other one is used when it is silent")
    func counters() {
        var bus = Bus()
        bus.run(seconds: 3) { _ in [.counter(1_000_005), .coarseCounter(1_000_125)] }
        #expect(Set(bus.signals.compactMap(\.odometerMeters)) == [1_000_005])
        bus.run(seconds: 10) { _ in [.coarseCounter(1_000_125)] }
        #expect(bus.signals.compactMap(\.odometerMeters).last == 1_000_125)
    }

    @Test("A counter that jumps or decreases is used only after it has been consistent for a minute")
    func counterJump() {
        var bus = Bus()
        bus.run(seconds: 3) { _ in [.counter(500_000_000)] }
        bus.run(seconds: 30) { _ in [.counter(5)] }
        bus.run(seconds: 30) { _ in [.counter(500_000_000)] }
        #expect(Set(bus.signals.compactMap(\.odometerMeters)) == [500_000_000])
        bus.run(seconds: 62) { _ in [.counter(5)] }
        #expect(bus.signals.compactMap(\.odometerMeters).last == 5)
    }

    @Test("The key switch decides about the ignition, except with a running engine")
    func keySwitch() {
        func power(keySwitchVolts: Double) -> CANFrame? {
            var bytes = J1939Parameter.batteryVoltage.bytes(with: 24)
            J1939Parameter.keySwitchVoltage.set(keySwitchVolts, in: &bytes)
            return CANFrame(identifier: 0x18FE_F717, isExtended: true, bytes: bytes)
        }
        var bus = Bus()
        bus.run(seconds: 2) { _ in [power(keySwitchVolts: 24)] }
        #expect(bus.signals.last?.isIgnitionOn == true)
        #expect(bus.signals.last?.batteryVolts == 24)
        bus.run(seconds: 2) { _ in [power(keySwitchVolts: 0)] }
        #expect(bus.signals.last?.isIgnitionOn == false)
        bus.run(seconds: 2) { _ in [.engine(700), power(keySwitchVolts: 0)] }
        #expect(bus.signals.last?.isIgnitionOn == true)
    }

    @Test("Random frames never give a value outside its range, and never a speed that jumps", arguments: 1...20)
    func fuzz(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var bus = Bus()
        var times: [(Int64, Double)] = []
        for _ in 0..<3000 {
            bus.run(seconds: 0.1) { _ in
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.randomFrame(using: &generator) }
            }
        }
        for signals in bus.signals {
            if let speed = signals.wheelSpeedMetersPerSecond {
                #expect(ValidRange.wheelSpeed.range.contains(speed))
                times.append((signals.received.uptimeMilliseconds, speed))
            }
            if let level = signals.fuelLevel { #expect((0...1).contains(level)) }
            if let volts = signals.batteryVolts { #expect(ValidRange.batteryVoltage.range.contains(volts)) }
        }
        // After a silence of two seconds a speed can begin anywhere.
        for (before, after) in zip(times, times.dropFirst()) where after.0 - before.0 <= 2000 {
            let seconds = Double(after.0 - before.0) / 1000
            #expect(abs(after.1 - before.1) <= 12 * seconds + 1.5 * (seconds + 2))
        }
    }

    private static func randomFrame(using generator: inout SplitMix64) -> CANFrame? {
        let isKnown = Bool.random(using: &generator)
        let group = ParameterGroup.allCases.randomElement(using: &generator) ?? .distance
        let sender = UInt8.random(in: 0...3, using: &generator)
        let identifier =
            isKnown ? group.identifier(sender: sender) : UInt32.random(in: 0...0x1FFF_FFFF, using: &generator)
        let bytes = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        return CANFrame(identifier: identifier, isExtended: true, bytes: bytes)
    }
}
