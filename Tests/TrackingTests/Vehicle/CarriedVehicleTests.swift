import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("A vehicle that is carried, and one that stands")
struct CarriedVehicleTests {
    /// The report of the vehicle each second.
    struct Report {
        var wheels: Double?
        var counter: Double?
        var isIgnitionOn: Bool?
        var engine: Double?
    }

    /// A run of a tracker with fixes and signals.
    private struct Run {
        var tracker = Tracker()
        var time = Timestamp(iso8601: "2026-11-21T09:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)
        var place = RoadDrive.town
        var follower = TimelineFollower()
        var counter = 100_000.0
        var random = SplitMix64(seed: 4)

        /// Moves on for some seconds.
        /// - Parameters:
        ///   - seen: the speed that the satellites report; nil for no fixes.
        mutating func go(
            seconds: Int, metersPerSecond speed: Double, heading: Double = 90, seen: ((Int) -> Double?)? = nil,
            noiseMeters: Double = 0, hasFixes: Bool = true, report: ((Double) -> Report)?
        ) {
            for second in 0..<seconds {
                time = time.advanced(bySeconds: 1)
                place = place.destination(headingDegrees: heading, distanceMeters: speed)
                let reading = ClockReading(replayed: time)
                if let report = report?(speed) {
                    take(
                        .signals(
                            VehicleSignals(
                                source: .j1939, received: reading, wheelSpeedMetersPerSecond: report.wheels,
                                odometerMeters: report.counter, isIgnitionOn: report.isIgnitionOn,
                                engineRevolutionsPerMinute: report.engine)))
                }
                guard hasFixes else { continue }
                let here = LocalPlane(origin: place).coordinate(of: random.scatter(noiseMeters))
                take(
                    .fix(
                        Fix(
                            timestamp: time, received: reading, coordinate: here, accuracyMeters: 4,
                            speedMetersPerSecond: seen.map { $0(second) } ?? speed,
                            headingDegrees: speed > 0 ? heading : nil)))
            }
        }

        mutating func take(_ input: TrackerInput) {
            follower.take(tracker.handle(input).compactMap(\.event), "\(time)")
        }

        mutating func drive(seconds: Int = 200, metersPerSecond speed: Double = 12) {
            go(seconds: seconds, metersPerSecond: speed, noiseMeters: 0.3) { Report(wheels: $0, engine: 1500) }
        }

        mutating func park(seconds: Int = 400) {
            go(seconds: seconds, metersPerSecond: 0, noiseMeters: 0.3) { _ in Report(wheels: 0, engine: 0) }
        }

        var trips: [TimelineEvent] { follower.shown.filter { if case .transport = $0.kind { true } else { false } } }
    }

    @Test("Wheels that a drive has proven stand on a ferry: the way is said on the trip, and is not in the odometer")
    func ferry() throws {
        var run = Run()
        run.park()
        run.drive()
        run.park()
        let before = (run.tracker.odometerMeters, run.tracker.odometerErrorMeters)
        run.go(seconds: 900, metersPerSecond: 8, noiseMeters: 0.3) { _ in Report(wheels: 0, engine: 0) }
        run.park()
        #expect(abs(run.tracker.odometerMeters - before.0) < 10)
        #expect(run.tracker.odometerErrorMeters < before.1 + 10)
        let crossing = try #require(run.trips.last)
        #expect(run.trips.count == 2 && run.trips[0].carriedMeters == nil)
        #expect(abs((crossing.carriedMeters ?? 0) - 7200) < 400, "\(crossing)")
        if case .transport(let transport) = crossing.kind { #expect(transport.distanceMeters < 20) }
        run.drive()
        run.park()
        #expect(abs(run.tracker.odometerMeters - before.0 - 2400) <= run.tracker.odometerErrorMeters + 20)
        #expect(run.trips.last?.carriedMeters == nil)
        #expect(TimelineInvariants.violations(in: run.follower.shown).isEmpty)
    }

    @Test("Three signals that stand are enough, although no drive has proven them", arguments: [true, false])
    func unproven(hasCounter: Bool) {
        var run = Run()
        func report(_ speed: Double) -> Report {
            Report(wheels: 0, counter: hasCounter ? 5000 : nil, isIgnitionOn: hasCounter ? nil : false, engine: 0)
        }
        run.go(seconds: 200, metersPerSecond: 0, noiseMeters: 0.3, report: report)
        run.go(seconds: 600, metersPerSecond: 14, noiseMeters: 0.3, report: report)
        run.go(seconds: 400, metersPerSecond: 0, noiseMeters: 0.3, report: report)
        #expect(run.tracker.odometerMeters < 5 && run.tracker.odometerErrorMeters < 30)
        #expect(abs((run.trips.last?.carriedMeters ?? 0) - 8400) < 300)
    }

    @Test("A broken sensor of the wheels hides no drive")
    func broken() {
        var run = Run()
        run.go(seconds: 200, metersPerSecond: 0, noiseMeters: 0.3) { _ in Report(wheels: 0, engine: 800) }
        run.go(seconds: 600, metersPerSecond: 14, noiseMeters: 0.3) { _ in Report(wheels: 0, engine: 1800) }
        #expect(abs(run.tracker.odometerMeters - 8400) <= run.tracker.odometerErrorMeters + 10)
    }

    @Test("A sensor of the wheels that fails between two drives hides no drive")
    func failing() {
        var run = Run()
        run.park()
        run.drive()
        run.go(seconds: 60, metersPerSecond: 12, noiseMeters: 0.3) { _ in Report() }
        run.go(seconds: 300, metersPerSecond: 12, noiseMeters: 0.3) { _ in Report(wheels: 0, engine: 1500) }
        #expect(abs(run.tracker.odometerMeters - 560 * 12) <= run.tracker.odometerErrorMeters + 20)
        #expect(run.trips.allSatisfy { $0.carriedMeters == nil })
    }

    @Test("A counter that goes on shows that an unproven signal is wrong, and the distance counts")
    func coarseCounter() {
        var run = Run()
        var meters = 0.0
        run.go(seconds: 100, metersPerSecond: 0) { _ in Report(wheels: 0, counter: 100_000, engine: 0) }
        run.go(seconds: 600, metersPerSecond: 14, noiseMeters: 0.3) { speed in
            meters += speed
            return Report(wheels: 0, counter: 100_000 + (meters / 1000).rounded(.down) * 1000, engine: 0)
        }
        #expect(abs(run.tracker.odometerMeters - 8400) <= run.tracker.odometerErrorMeters + 10)
        #expect(run.trips.allSatisfy { $0.carriedMeters == nil })
    }

    @Test("Believed wheels at rest let no noise of the satellites count")
    func parkedNoise() {
        var run = Run()
        run.park()
        run.drive()
        run.park(seconds: 60)
        let before = run.tracker.odometerMeters
        var random = SplitMix64(seed: 9)
        let speeds = (0..<3600).map { _ in Double.random(in: 0...3, using: &random) }
        run.go(seconds: 3600, metersPerSecond: 0, seen: { speeds[$0] }, noiseMeters: 3) { _ in
            Report(wheels: 0, engine: 0)
        }
        #expect(run.tracker.odometerMeters - before < 1)
        #expect(run.trips.allSatisfy { $0.carriedMeters == nil } && run.trips.count == 1)
        run.drive()
        run.park()
        #expect(abs(run.tracker.odometerMeters - before - 2400) <= run.tracker.odometerErrorMeters + 20)
    }

    @Test("A way in a car park that the wheels measured during a silence counts, and is no stop")
    func carPark() {
        var run = Run()
        run.park()
        run.drive(seconds: 300)
        let before = run.tracker.odometerMeters
        for turn in 0..<47 {
            run.go(seconds: 10, metersPerSecond: 3.5, heading: Double(turn % 4) * 90, hasFixes: false) {
                Report(wheels: $0, engine: 900)
            }
        }
        run.drive(seconds: 100)
        let truth = 470 * 3.5 + 1200
        #expect(
            abs(run.tracker.odometerMeters - before - truth) <= run.tracker.odometerErrorMeters,
            "\(run.tracker.odometerMeters - before) ± \(run.tracker.odometerErrorMeters)")
        #expect(run.tracker.odometerErrorMeters < 200)
        #expect(run.follower.shown.count { if case .stationary = $0.kind { true } else { false } } == 1)
    }

    @Test(
        "The distance within a stop does not contain the way over which the vehicle was carried there",
        arguments: [(100, 80, 20), (50, 80, nil)] as [(Double, Double, Double?)])
    func withinPlace(moved: Double, carried: Double, left: Double?) {
        let start = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        let end = start.advanced(bySeconds: 3600)
        var log = CarriageLog()
        log.add(meters: carried, from: start.advanced(bySeconds: 1000), to: start.advanced(bySeconds: 1100))
        var tracker = Tracker()
        tracker.agent.carriage = log
        var stop = TimelineEvent(
            id: TimelineEventID(seed: TrackerSeed(first: 1, second: 2), counter: 1), revision: 1, isProvisional: false,
            kind: .stationary(nil), start: start, end: end, lastUpdate: end, tag: nil)
        stop.stopMeters = moved
        #expect(tracker.withCarriage(stop, until: end).stopMeters == left)
    }
}
