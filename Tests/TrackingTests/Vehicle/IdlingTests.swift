import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Idling")
struct IdlingTests {
    private static func time(_ second: Double) -> Timestamp { EquippedVehicle.start.advanced(bySeconds: second) }

    @Test("The log sums the idling of any time, and joins its oldest times when it is full")
    func log() {
        var log = IdlingLog()
        // Ten seconds of idling in each minute.
        for second in 0..<6000 { log.observe(isIdling: second % 60 < 10, at: Self.time(Double(second))) }
        #expect(log.spans.count <= IdlingLog.maximumSpans)
        #expect(abs(log.seconds(from: Self.time(0), to: Self.time(6000)) - 1000) < 1)
        #expect(abs(log.seconds(from: Self.time(5940), to: Self.time(5945)) - 5) < 1e-9)
        #expect(log.seconds(from: Self.time(5960), to: Self.time(5990)) == 0)
        log.removeSpans(before: Self.time(5900))
        #expect(log.spans.count == 1)
    }

    @Test("A gap that is too long does not count, and a date that goes back counts nothing twice")
    func gaps() {
        var log = IdlingLog()
        log.observe(isIdling: true, at: Self.time(0))
        log.observe(isIdling: true, at: Self.time(60))
        log.observe(isIdling: true, at: Self.time(50))
        log.observe(isIdling: true, at: Self.time(70))
        #expect(log.seconds(from: Self.time(-100), to: Self.time(100)) == 70)
        log.observe(isIdling: true, at: Self.time(5000))
        #expect(log.seconds(from: Self.time(-100), to: Self.time(6000)) == 70)
    }

    /// A car that reports its ignition when it changes, and each second a position.
    private struct Scene {
        var tracker: Tracker
        var second = 0.0
        var meters = 0.0
        var events: [TimelineEvent] = []

        init() {
            var configuration = TrackingConfiguration()
            configuration.timeline.vehicle = .car
            tracker = Tracker(configuration: configuration, seed: (1, 2))
        }

        mutating func set(ignition: Bool, engine: Double? = nil) {
            take(
                .signals(
                    VehicleSignals(
                        source: .program, received: ClockReading(replayed: time(second)), isIgnitionOn: ignition,
                        engineRevolutionsPerMinute: engine)))
        }

        mutating func run(seconds: Int, speed: Double) {
            for _ in 0..<seconds {
                second += 1
                meters += speed
                let place = RoadDrive.town.destination(headingDegrees: 90, distanceMeters: meters)
                take(
                    .fix(
                        Fix(
                            timestamp: time(second), received: ClockReading(replayed: time(second)), coordinate: place,
                            accuracyMeters: 4, speedMetersPerSecond: speed)))
            }
        }

        private mutating func take(_ input: TrackerInput) {
            for output in tracker.handle(input) {
                if case .record(.timeline(let event)) = output { events.append(event.value) }
            }
        }

        /// The newest revisions, in the order of their starts.
        var newest: [TimelineEvent] {
            Dictionary(grouping: events, by: \.id).values.compactMap(\.last).filter { !$0.isWithdrawn }
                .sorted { $0.start < $1.start }
        }
    }

    @Test("A running engine at halts and stops is on the events, and a stopped engine is not")
    func events() throws {
        var scene = Scene()
        scene.run(seconds: 30, speed: 0)
        scene.set(ignition: true)
        scene.run(seconds: 300, speed: 0)
        scene.run(seconds: 300, speed: 12)
        scene.run(seconds: 40, speed: 0)
        scene.run(seconds: 300, speed: 12)
        scene.run(seconds: 600, speed: 0)
        scene.set(ignition: false)
        scene.run(seconds: 3000, speed: 0)
        scene.set(ignition: true)
        scene.run(seconds: 600, speed: 12)
        let events = scene.newest
        let trip = try #require(events.first { if case .transport = $0.kind { true } else { false } })
        // The trip begins and ends some seconds beside the truth, with the satellites alone.
        #expect((40...60).contains(trip.idleSeconds ?? 0), "\(events.map(\.idleSeconds))")
        let stops = events.filter { if case .stationary = $0.kind { true } else { false } }
        #expect(abs((stops.last?.idleSeconds ?? 0) - 600) <= 20, "\(events.map(\.idleSeconds))")
    }

    @Test("Without signals of the vehicle, no state and no member exists")
    func none() {
        var scene = Scene()
        scene.run(seconds: 300, speed: 0)
        scene.run(seconds: 600, speed: 12)
        #expect(scene.tracker.agent.idling == nil && scene.events.allSatisfy { $0.idleSeconds == nil })
    }

    @Test("The speed of the engine decides before the ignition")
    func engine() {
        var scene = Scene()
        scene.run(seconds: 30, speed: 0)
        scene.set(ignition: true, engine: 0)
        #expect(scene.tracker.recent.vehicle?.isEngineRunning == false)
        scene.set(ignition: true, engine: 700)
        #expect(scene.tracker.recent.vehicle?.isEngineRunning == true)
        scene.run(seconds: 10, speed: 0)
        // The speed of the engine is stale, and the ignition of a program stays.
        #expect(scene.tracker.recent.vehicle?.isEngineRunning == true)
    }
}

private func time(_ second: Double) -> Timestamp { EquippedVehicle.start.advanced(bySeconds: second) }
