import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Signals of the vehicle")
struct VehicleSignalsTests {
    /// A vehicle that is driven by hand: each second has a fix, unless it is missing, and signals, unless they are.
    private struct Scene {
        var tracker: Tracker
        var seconds = 0
        var meters = 0.0
        var outputs: [(second: Int, output: TrackerOutput)] = []
        var random = SplitMix64(seed: 5)

        init() {
            var configuration = TrackingConfiguration()
            configuration.timeline.vehicle = .car
            tracker = Tracker(configuration: configuration, seed: (1, 2))
        }

        var now: Timestamp { EquippedVehicle.start.advanced(bySeconds: Double(seconds)) }

        var place: Coordinate {
            Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37 + meters / 74_220) ?? RoadDrive.town
        }

        /// - Parameters:
        ///   - speed: the true speed, m/s.
        ///   - wheels: what the bus reports, m/s; nil for nothing.
        mutating func run(
            seconds count: Int, speed: Double, wheels: Double? = nil, ignition: Bool? = nil, hasFix: Bool = true
        ) {
            for _ in 0..<count {
                seconds += 1
                meters += speed
                if wheels != nil || ignition != nil {
                    handle(
                        .signals(
                            VehicleSignals(
                                source: .j1939, received: ClockReading(replayed: now),
                                wheelSpeedMetersPerSecond: wheels, isIgnitionOn: ignition)))
                }
                guard hasFix else { continue }
                let noise = Double.random(in: -1...1, using: &random)
                let coordinate = place.destination(headingDegrees: 0, distanceMeters: noise + 2)
                handle(
                    .fix(
                        Fix(
                            timestamp: now, received: ClockReading(replayed: now), coordinate: coordinate,
                            accuracyMeters: 4, speedMetersPerSecond: max(speed + noise / 10, 0))))
            }
        }

        mutating func handle(_ input: TrackerInput) {
            outputs += tracker.handle(input).map { (seconds, $0) }
        }

        /// Drives for a while, so that the speed of the wheels is believed.
        mutating func drive(ignition: Bool? = true) {
            run(seconds: 200, speed: 0, wheels: 0, ignition: ignition)
            run(seconds: 120, speed: 12, wheels: 12.4, ignition: ignition)
        }

        var locations: [(second: Int, location: TrackedLocation)] {
            outputs.compactMap { pair in pair.output.location.map { (pair.second, $0) } }
        }

        func motionChanges(from second: Int) -> [(second: Int, isMoving: Bool)] {
            locations.filter { $0.second >= second && $0.location.cause == .motionChange }
                .map { ($0.second, $0.location.isMoving) }
        }

        var timeline: [TimelineEvent] { outputs.compactMap(\.output.event).latest }
    }

    @Test("A stop with the ignition off, and the start after it, are reported and dated within 3 s")
    func startAndStop() throws {
        var scene = Scene()
        scene.drive()
        let arrival = scene.seconds
        scene.run(seconds: 2, speed: 0, wheels: 0, ignition: true)
        scene.run(seconds: 900, speed: 0, wheels: 0, ignition: false)
        let departure = scene.seconds
        scene.run(seconds: 60, speed: 10, wheels: 10.3, ignition: true)
        let changes = scene.motionChanges(from: arrival)
        #expect(changes.map(\.isMoving) == [false, true])
        let (stop, start) = (try #require(changes.first), try #require(changes.last))
        #expect((arrival...arrival + 5).contains(stop.second), "\(stop.second) after \(arrival)")
        #expect((departure...departure + 3).contains(start.second), "\(start.second) after \(departure)")
        let events = scene.timeline
        #expect(events.count >= 3)
        let (last, halt) = (events[events.count - 1], events[events.count - 2])
        #expect(abs(last.start.seconds(since: EquippedVehicle.start) - Double(departure)) <= 3)
        #expect(abs(halt.start.seconds(since: EquippedVehicle.start) - Double(arrival)) <= 3)
        guard case .transport = last.kind, case .stationary = halt.kind else {
            Issue.record("\(last.kind), \(halt.kind)")
            return
        }
        let told = scene.outputs.first { pair in pair.output.event?.id == halt.id }
        #expect((arrival...arrival + 5).contains(try #require(told).second))
    }

    @Test("A halt with the ignition on is no stop, and a short stop belongs to the trip")
    func redLight() {
        var scene = Scene()
        scene.drive()
        let halt = scene.seconds
        scene.run(seconds: 60, speed: 0, wheels: 0, ignition: true)
        scene.run(seconds: 60, speed: 12, wheels: 12.3, ignition: true)
        #expect(scene.motionChanges(from: halt).isEmpty)
        scene.run(seconds: 60, speed: 0, wheels: 0, ignition: false)
        scene.run(seconds: 60, speed: 12, wheels: 12.3, ignition: true)
        #expect(scene.motionChanges(from: halt).map(\.isMoving) == [false, true])
        let trips = scene.timeline.filter { if case .transport = $0.kind { true } else { false } }
        #expect(trips.count == 1)
    }

    @Test("A speed of 250 km/h at a standstill moves nothing and is not published")
    func falseSpeed() {
        var scene = Scene()
        scene.drive()
        scene.run(seconds: 300, speed: 0, wheels: 0, ignition: false)
        let (begin, told) = (scene.seconds, scene.tracker.odometerMeters)
        scene.run(seconds: 300, speed: 0, wheels: 69.4, ignition: false)
        #expect(scene.motionChanges(from: begin).isEmpty)
        #expect(scene.tracker.odometerMeters - told < 1)
        #expect(scene.locations.allSatisfy { ($0.location.vehicle?.wheelSpeedMetersPerSecond ?? 0) < 20 })
        #expect(!scene.tracker.isMoving)
    }

    @Test("A constant wrong speed is not believed, before and during a drive", arguments: [0.0, 3.0, 69.4])
    func wrongSpeed(wheels: Double) {
        var (scene, plain) = (Scene(), Scene())
        for (speed, seconds) in [(0.0, 200), (14, 300), (0, 300), (20, 200)] {
            scene.run(seconds: seconds, speed: speed, wheels: wheels)
            plain.run(seconds: seconds, speed: speed)
        }
        #expect(abs(scene.tracker.odometerMeters - plain.tracker.odometerMeters) < 1e-6)
        #expect(scene.locations.allSatisfy { $0.location.vehicle?.wheelSpeedMetersPerSecond == nil })
        #expect(scene.motionChanges(from: 0).map(\.second) == plain.motionChanges(from: 0).map(\.second))
    }

    @Test("On a ferry the wheels stand: the vehicle moves by the satellites, and its odometer counts nothing")
    func ferry() {
        var scene = Scene()
        scene.drive()
        scene.run(seconds: 400, speed: 0, wheels: 0, ignition: false)
        let (begin, told) = (scene.seconds, scene.tracker.odometerMeters)
        scene.run(seconds: 600, speed: 8, wheels: 0, ignition: false)
        #expect(scene.motionChanges(from: begin).first?.isMoving == true)
        #expect(abs(scene.tracker.odometerMeters - told) < 1)
        #expect(scene.tracker.isMoving)
    }

    @Test("A source that stops sending leaves a tracker that goes on by satellites")
    func silence() {
        var scene = Scene()
        scene.drive()
        scene.run(seconds: 400, speed: 0)
        #expect(!scene.tracker.isMoving)
        scene.run(seconds: 120, speed: 13)
        #expect(scene.tracker.isMoving)
        #expect(abs(scene.tracker.odometerMeters - scene.meters) < 30)
        let last = scene.locations.last?.location
        #expect(last?.vehicle?.wheelSpeedMetersPerSecond == nil && last?.vehicle?.isIgnitionOn == nil)
    }

    @Test("A parked vehicle whose positions wander stays parked while its wheels stand")
    func wanderingPositions() {
        var scene = Scene()
        scene.drive()
        scene.run(seconds: 300, speed: 0, wheels: 0, ignition: false)
        let begin = scene.seconds
        // 400 m in twenty minutes, without a Doppler speed that shows it.
        for second in 0..<1200 {
            scene.meters += second < 600 ? 0.66 : -0.66
            scene.run(seconds: 1, speed: 0, wheels: 0, ignition: false)
        }
        #expect(scene.motionChanges(from: begin).isEmpty)
    }

    @Test("Each value has its own age, and the location says how old the oldest one is")
    func ages() throws {
        var scene = Scene()
        scene.drive()
        scene.handle(
            .signals(
                VehicleSignals(
                    source: .obd, received: ClockReading(replayed: scene.now), odometerMeters: 5000, fuelLevel: 0.5)))
        scene.run(seconds: 200, speed: 12, wheels: 12.4)
        let vehicle = try #require(scene.locations.last?.location.vehicle)
        #expect(vehicle.fuelLevel == 0.5 && vehicle.odometerMeters == 5000 && vehicle.source == .j1939)
        #expect(vehicle.isIgnitionOn == nil && vehicle.wheelSpeedMetersPerSecond == 12.4)
        #expect((100_000...200_000).contains(vehicle.ageMilliseconds))
        scene.run(seconds: 500, speed: 12, wheels: 12.4)
        #expect(scene.locations.last?.location.vehicle?.fuelLevel == nil)
    }

    @Test("The vehicle's battery stands for a missing one of the machine, with its charge at rest")
    func battery() {
        var scene = Scene()
        func report(_ volts: Double) {
            scene.handle(
                .signals(
                    VehicleSignals(source: .j1939, received: ClockReading(replayed: scene.now), batteryVolts: volts)))
            scene.run(seconds: 400, speed: 12)
        }
        report(25.3)
        #expect(scene.locations.last?.location.battery == Battery(level: 1, isCharging: false))
        report(28.2)
        #expect(scene.locations.last?.location.battery == Battery(level: 1, isCharging: true))
        report(11.89)
        #expect(scene.locations.last?.location.battery?.level == 0)
        scene.handle(.battery(Battery(level: 0.4, isCharging: true), at: ClockReading(replayed: scene.now)))
        scene.run(seconds: 400, speed: 12)
        #expect(scene.locations.last?.location.battery == Battery(level: 0.4, isCharging: true))
    }

    @Test(
        "Nothing of the signals leaves in private time or while tracking is off",
        arguments: [OffScheduleRule.Mode.private, .stop])
    func privateTime(mode: OffScheduleRule.Mode) throws {
        var scene = Scene()
        scene.drive()
        let rule = OffScheduleRule(mode: mode)
        scene.handle(.schedule(.closed(rule), at: ClockReading(replayed: scene.now)))
        let begin = scene.seconds
        let signals = TrackerInput.signals(
            VehicleSignals(source: .j1939, received: ClockReading(replayed: scene.now), wheelSpeedMetersPerSecond: 20))
        #expect(scene.tracker.disclose(signals) == nil)
        scene.run(seconds: 100, speed: 12, wheels: 12.4, ignition: true)
        scene.run(seconds: 100, speed: 0, wheels: 0, ignition: false)
        scene.run(seconds: 100, speed: 12, wheels: 12.4, ignition: true)
        #expect(scene.locations.allSatisfy { $0.second <= begin })
        #expect(scene.tracker.disclose(scene.tracker).recent.vehicle == nil || mode == .stop)
        #expect(mode == .private || scene.tracker.recent.vehicle?.wheelSpeedMetersPerSecond == nil)
    }
}
