import OdographCivilTime
import OdographGeodesy
import OdographModel
import Testing
import OdographTracking

@testable import OdographPositioning

@Suite("The simulator")
struct SimulatorTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_780_000_000_000)

    private static func settings(seed: UInt64, hours: Double = 3) throws -> SimulatorSettings {
        let madrid = try #require(Coordinate(latitudeDegrees: 40.4168, longitudeDegrees: -3.7038))
        var settings = SimulatorSettings(seed: seed, start: madrid)
        settings.durationSeconds = hours * 3600
        settings.speedFactor = nil
        settings.startTime = start
        return settings
    }

    @Test("A drive is plausible: accelerations, stops, a motorway, a tunnel, and its distance", arguments: 1...8)
    func plausible(seed: UInt64) throws {
        var simulator = DriveSimulator(try Self.settings(seed: seed), startTime: Self.start)
        var lastSpeed = 0.0
        var (fastest, standingSeconds, summedMeters) = (0.0, 0, 0.0)
        var blindFrom: Timestamp?
        var blindSeconds: [Double] = []
        while let event = simulator.next() {
            if case .state(let state, at: let moment, detail: _) = event.content {
                if state == .noFix { blindFrom = moment.systemTime }
                if state == .available, let from = blindFrom {
                    blindSeconds.append(moment.systemTime.seconds(since: from))
                }
                continue
            }
            let speed = simulator.vehicle.speed
            if blindFrom == nil { #expect(abs(speed - lastSpeed) <= 2.2) }
            if speed == 0 { standingSeconds += 1 }
            fastest = max(fastest, speed)
            summedMeters = simulator.distanceMeters
            lastSpeed = speed
            if event.fix != nil { blindFrom = nil }
        }
        #expect((80 / 3.6...125 / 3.6).contains(fastest))
        #expect(standingSeconds > 1000 && standingSeconds < 9000)
        #expect(summedMeters > 10_000)
        #expect(!blindSeconds.isEmpty && blindSeconds.allSatisfy { (25...75).contains($0) })
    }

    @Test(
        "A vehicle that brakes hard before some stops is driven harshly, an ordinary one is not", arguments: [nil, 2])
    func harsh(interval: Int?) throws {
        var settings = try Self.settings(seed: 1, hours: 1)
        settings.harshStopInterval = interval
        var configuration = TrackingConfiguration()
        configuration.driving = DrivingRule()
        var tracker = Tracker(configuration: configuration)
        var simulator = DriveSimulator(settings, startTime: Self.start)
        var kinds: [DrivingEvent.Kind] = []
        while let event = simulator.next() {
            guard let fix = event.fix else { continue }
            for case .record(.location(let location)) in tracker.handle(.fix(fix)) {
                if let driving = location.driving { kinds.append(driving.kind) }
            }
        }
        #expect(kinds.allSatisfy { $0 == .braking } && kinds.isEmpty == (interval == nil), "\(kinds)")
    }

    @Test("The same seed gives the same drive, another seed another one, and a drive resumes after any event")
    func deterministic() throws {
        func events(_ settings: SimulatorSettings) -> [SourceEvent] {
            var simulator = DriveSimulator(settings, startTime: Self.start)
            var events: [SourceEvent] = []
            while let event = simulator.next() { events.append(event) }
            return events
        }
        let first = events(try Self.settings(seed: 1, hours: 0.5))
        #expect(first == events(try Self.settings(seed: 1, hours: 0.5)))
        #expect(first != events(try Self.settings(seed: 2, hours: 0.5)))
        var resumed = try Self.settings(seed: 1, hours: 0.5)
        resumed.resumeAfterOrdinal = 777
        #expect(events(resumed) == Array(first.dropFirst(777)))
    }

    @Test("A source advances with its consumer and ends with its drive")
    func source() async throws {
        let source = SimulatorSource(try Self.settings(seed: 3, hours: 0.01), clock: SystemAgentClock())
        var fixes = 0
        for try await event in source.events() where event.fix != nil { fixes += 1 }
        #expect(fixes == 37)
        #expect(source.counters.fixes == 37)
    }
}
