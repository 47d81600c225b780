import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Harsh manoeuvres")
struct ManoeuvreDetectorTests {
    private static let start = EquippedVehicle.start

    /// Returns the events of a speed that follows a list of accelerations, each for a second, in units of gravity.
    private static func events(
        _ accelerations: [Double], from speed: Double, tenths: Int, isWheels: Bool, turning: Bool = false
    ) -> [DrivingEvent] {
        var monitor = DrivingMonitor()
        var (speed, heading, place) = (speed, 0.0, RoadDrive.town)
        var events: [DrivingEvent] = []
        for step in 0..<accelerations.count * 10 {
            let g = accelerations[step / 10]
            if turning {
                heading += g * DrivingMonitor.gravity / speed * 0.1 * 180 / .pi
            } else {
                speed = max(speed + g * DrivingMonitor.gravity * 0.1, 0)
            }
            place = place.destination(headingDegrees: heading, distanceMeters: speed * 0.1)
            guard step % tenths == 0 else { continue }
            let time = start.advanced(bySeconds: Double(step) / 10)
            if isWheels { events += monitor.add(wheelMetersPerSecond: speed, at: time, rule: DrivingRule()) }
            events += monitor.add(
                Fix(
                    timestamp: time, received: ClockReading(replayed: time), coordinate: place, accuracyMeters: 4,
                    speedMetersPerSecond: speed, headingDegrees: heading), rule: DrivingRule())
        }
        return events
    }

    private static let calm = [0.0, 0, 0, 0, 0]

    @Test(
        "A long acceleration above the threshold is one event, a lower one is none",
        arguments: [
            (0.42, DrivingEvent.Kind?.some(.acceleration)), (0.3, nil), (-0.55, .braking), (-0.4, nil),
        ], [(10, false), (1, false), (10, true), (1, true)])
    func alongTheRoad(_ acceleration: (g: Double, kind: DrivingEvent.Kind?), _ source: (tenths: Int, isWheels: Bool))
        throws
    {
        let events = Self.events(
            Self.calm + [acceleration.g, acceleration.g, acceleration.g] + Self.calm, from: 20, tenths: source.tenths,
            isWheels: source.isWheels)
        #expect(events.map(\.kind) == [acceleration.kind].compactMap(\.self))
        guard let event = events.first else { return }
        #expect(abs(try #require(event.peakG) - abs(acceleration.g)) < 0.02)
        #expect(abs(event.durationSeconds - 3) <= 1)
        #expect(abs(event.start.seconds(since: Self.start) - 5) <= 1)
    }

    @Test("A turn above the threshold is one event, a lower one is none", arguments: [(0.6, 1), (0.4, 0)], [10, 1])
    func across(_ turn: (g: Double, count: Int), tenths: Int) {
        let events = Self.events(
            Self.calm + [turn.g, turn.g, turn.g] + Self.calm, from: 12, tenths: tenths, isWheels: false, turning: true)
        #expect(events.count == turn.count && events.allSatisfy { $0.kind == .cornering })
    }

    @Test("A change of gear does not divide an acceleration, a pause of two seconds does", arguments: [(1, 1), (3, 2)])
    func pause(_ pause: (seconds: Int, count: Int)) {
        let calm = Array(repeating: 0.0, count: pause.seconds)
        let events = Self.events(
            Self.calm + [0.5, 0.5] + calm + [0.5, 0.5] + Self.calm, from: 5, tenths: 1, isWheels: true)
        #expect(events.map(\.kind) == Array(repeating: .acceleration, count: pause.count))
    }

    @Test("A single wrong speed of a receiver is no event", arguments: [10, 20])
    func wrongSpeed(tenths: Int) {
        for error in [-8.0, -5, 5, 8] {
            var monitor = DrivingMonitor()
            var events: [DrivingEvent] = []
            for index in 0..<20 {
                let time = Self.start.advanced(bySeconds: Double(index * tenths) / 10)
                let place = RoadDrive.town.destination(
                    headingDegrees: 0, distanceMeters: 15 * Double(index * tenths) / 10)
                events += monitor.add(
                    Fix(
                        timestamp: time, received: ClockReading(replayed: time), coordinate: place, accuracyMeters: 4,
                        speedMetersPerSecond: index == 10 ? 15 + error : 15, headingDegrees: 0), rule: DrivingRule())
            }
            #expect(events.isEmpty)
        }
    }

    @Test("A gap, a jump and a bad accuracy divide the movement: what happens across them is no event")
    func divided() {
        for (gap, accuracy) in [(3.0, 4.0), (1.0, 60.0)] {
            var monitor = DrivingMonitor()
            var (time, events) = (Self.start, [DrivingEvent]())
            for index in 0..<12 {
                let speed = index < 6 ? 20.0 : 4.0
                time = time.advanced(bySeconds: index == 6 ? gap : 1)
                events += monitor.add(
                    Fix(
                        timestamp: time, received: ClockReading(replayed: time), coordinate: RoadDrive.town,
                        accuracyMeters: accuracy, speedMetersPerSecond: speed), rule: DrivingRule())
            }
            #expect(events.isEmpty)
        }
    }

    @Test("Without a speed of the receiver nothing is found")
    func withoutSpeed() {
        var monitor = DrivingMonitor()
        for second in 0..<20 {
            let time = Self.start.advanced(bySeconds: Double(second))
            let fix = Fix(timestamp: time, received: ClockReading(replayed: time), coordinate: RoadDrive.town)
            #expect(monitor.add(fix, rule: DrivingRule()).isEmpty)
        }
    }
}
