import FoundationEssentials
import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The driving style")
struct DrivingStyleTests {
    private static let start = EquippedVehicle.start

    private static func tracker(_ change: (inout DrivingRule) -> Void = { _ in }) -> Tracker {
        var configuration = TrackingConfiguration()
        configuration.timeline.vehicle = .car
        var rule = DrivingRule()
        change(&rule)
        configuration.driving = rule
        return Tracker(configuration: configuration, seed: (1, 2))
    }

    /// The simulated drive, a drive without manoeuvres, and a stop that makes the trip final.
    private static func inputs(seed: UInt64, fixTenths: Int, wheelTenths: Int?) -> (ManoeuvreDrive, [TrackerInput]) {
        let drive = ManoeuvreDrive(seed: seed, seconds: 1200, harshShare: 0.2, from: RoadDrive.town)
        var inputs = drive.inputs(fixTenths: fixTenths, wheelTenths: wheelTenths, from: start)
        if let last = drive.sights.last {
            for second in 1...900 {
                let time = start.advanced(bySeconds: last.seconds + Double(second))
                inputs.append(
                    .fix(
                        Fix(
                            timestamp: time, received: ClockReading(replayed: time), coordinate: last.coordinate,
                            accuracyMeters: 4, speedMetersPerSecond: 0)))
            }
        }
        return (drive, inputs)
    }

    private static func run(_ inputs: [TrackerInput], _ tracker: inout Tracker) -> [TrackerRecord] {
        inputs.flatMap { tracker.handle($0) }.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    private static func events(_ records: [TrackerRecord]) -> [DrivingEvent] {
        records.compactMap { if case .location(let location) = $0 { location.driving } else { nil } }
    }

    private static func trips(_ records: [TrackerRecord]) -> [TimelineEvent] {
        records.compactMap { record in
            guard case .timeline(let event) = record, case .transport = event.kind else { return nil }
            return event.value
        }
    }

    @Test(
        "Known manoeuvres of simulated drives are found, and none that did not happen",
        arguments: [(10, Int?.some(10)), (10, 1), (1, nil), (10, nil)])
    func drives(fixTenths: Int, wheelTenths: Int?) {
        var (found, known, wrong) = (0, 0, 0)
        for seed in 301...304 as ClosedRange<UInt64> {
            let (drive, inputs) = Self.inputs(seed: seed, fixTenths: fixTenths, wheelTenths: wheelTenths)
            var tracker = Self.tracker()
            let comparison = drive.compare(Self.events(Self.run(inputs, &tracker)), from: Self.start)
            (found, known, wrong) = (
                found + comparison.found, known + comparison.known, wrong + comparison.wrong.count
            )
        }
        #expect(known > 30 && found * 100 >= known * 95 && wrong <= 1, "\(found) of \(known), \(wrong) wrong")
    }

    @Test("The final revision of a trip has its counts, its maximum speed and the share over the limit, no other has")
    func summary() throws {
        let (drive, inputs) = Self.inputs(seed: 305, fixTenths: 10, wheelTenths: nil)
        var tracker = Self.tracker { $0.speedLimitMetersPerSecond = 15 }
        let records = Self.run(inputs, &tracker)
        let trips = Self.trips(records)
        #expect(trips.allSatisfy { $0.isProvisional == ($0.driving == nil) })
        let summaries = trips.compactMap(\.driving)
        #expect(!summaries.isEmpty)
        let events = Self.events(records)
        for (kind, counts) in [
            (DrivingEvent.Kind.acceleration, summaries.map(\.accelerationCount)),
            (.braking, summaries.map(\.brakingCount)), (.cornering, summaries.map(\.corneringCount)),
        ] { #expect(counts.reduce(0, +) == events.count { $0.kind == kind }, "\(kind)") }
        let fastest = try #require(summaries.compactMap(\.maximumMetersPerSecond).max())
        let truth = try #require(drive.sights.map(\.trueMetersPerSecond).max())
        #expect(abs(fastest - truth) < 2)
        let over = drive.sights.count { $0.trueMetersPerSecond > 15 }
        let moving = drive.sights.count { $0.trueMetersPerSecond > 1 }
        if summaries.count == 1 {
            #expect(abs(try #require(summaries[0].overspeedShare) - Double(over) / Double(moving)) < 0.05)
        }
    }

    @Test("A vehicle that configures none of this has no event, no summary and no state")
    func unconfigured() throws {
        let (_, inputs) = Self.inputs(seed: 306, fixTenths: 10, wheelTenths: 10)
        var tracker = Tracker(seed: (1, 2))
        let records = Self.run(inputs, &tracker)
        #expect(Self.events(records).isEmpty && Self.trips(records).allSatisfy { $0.driving == nil })
        #expect(tracker.recent.driving == nil && tracker.agent.driving == nil)
        var configured = Self.tracker()
        _ = Self.run(inputs, &configured)
        #expect(configured.agent.driving != nil && configured.recent.driving != nil)
        var configuration = configured.configuration
        configuration.driving = nil
        let moment = try #require(inputs.last).clockReading
        _ = configured.handle(.configuration(configuration, at: moment))
        _ = Self.run(Self.inputs(seed: 307, fixTenths: 10, wheelTenths: nil).1, &configured)
        #expect(configured.recent.driving == nil && configured.agent.driving == nil)
    }

    @Test("Private time has no event, and its trips have no summary")
    func privateTime() throws {
        let (_, inputs) = Self.inputs(seed: 308, fixTenths: 10, wheelTenths: 10)
        var tracker = Self.tracker()
        let first = try #require(inputs.first).clockReading
        _ = tracker.handle(.schedule(.closed(OffScheduleRule(mode: .private)), at: first))
        let records = Self.run(inputs, &tracker)
        #expect(Self.events(records).isEmpty && !Self.trips(records).isEmpty)
        #expect(Self.trips(records).allSatisfy { $0.driving == nil })
        #expect(tracker.recent.driving == nil && tracker.agent.driving == nil)
    }

    @Test("A manoeuvre that begins before private time is not reported after it")
    func privateMiddle() throws {
        let (drive, inputs) = Self.inputs(seed: 309, fixTenths: 10, wheelTenths: nil)
        let manoeuvre = try #require(drive.manoeuvres.first)
        let middle = Self.start.advanced(bySeconds: (manoeuvre.start + manoeuvre.end) / 2)
        var tracker = Self.tracker()
        var records: [TrackerRecord] = []
        var hasClosed = false
        for input in inputs {
            let time = input.clockReading
            if !hasClosed, tracker.date(of: time) >= middle {
                hasClosed = true
                records += Self.run(
                    [
                        .schedule(.closed(OffScheduleRule(mode: .private)), at: time), input,
                        .schedule(.open, at: time),
                    ], &tracker)
            }
            records += Self.run([input], &tracker)
        }
        #expect(hasClosed && Self.events(records).allSatisfy { $0.start >= middle })
    }

    @Test("A saved state continues in a manoeuvre as if nothing had happened")
    func saved() throws {
        let (_, inputs) = Self.inputs(seed: 310, fixTenths: 10, wheelTenths: nil)
        var tracker = Self.tracker()
        for (index, input) in inputs.enumerated() {
            _ = tracker.handle(input)
            guard index.isMultiple(of: 97) else { continue }
            let saved = try JSONEncoder().encode(tracker)
            #expect(try JSONDecoder().decode(Tracker.self, from: saved) == tracker)
        }
    }

    @Test("An engine that runs at a halt for the configured time is an event when that has ended")
    func idling() throws {
        for (seconds, count) in [(400, 1), (200, 0)] {
            var tracker = Self.tracker { $0.idlingSeconds = 300 }
            var records: [TrackerRecord] = []
            for second in 0..<900 {
                let time = Self.start.advanced(bySeconds: Double(second))
                let moment = ClockReading(replayed: time)
                if second == 60 || second == 60 + seconds {
                    records += Self.run(
                        [
                            .signals(
                                VehicleSignals(source: .program, received: moment, isIgnitionOn: second == 60))
                        ], &tracker)
                }
                records += Self.run(
                    [
                        .fix(
                            Fix(
                                timestamp: time, received: moment, coordinate: RoadDrive.town, accuracyMeters: 4,
                                speedMetersPerSecond: 0))
                    ], &tracker)
            }
            let events = Self.events(records)
            #expect(events.map(\.kind) == Array(repeating: .idling, count: count))
            if let event = events.first { #expect(abs(event.durationSeconds - 400) <= 2 && event.peakG == nil) }
        }
    }

    @Test("The log is bounded, and joins its oldest spans")
    func log() {
        var log = DrivingLog()
        for second in 0..<30_000 {
            log.add(
                metersPerSecond: second % 100 < 50 ? 10 : 0, at: Self.start.advanced(bySeconds: Double(second)),
                limitMetersPerSecond: 5)
        }
        #expect(log.spans.count <= DrivingLog.maximumSpans)
        let all = log.summary(from: Self.start, to: Self.start.advanced(bySeconds: 30_000))
        #expect(all?.maximumMetersPerSecond == 10 && (all?.overspeedShare ?? 0) > 0.9)
    }
}
