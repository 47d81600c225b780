import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("Withdrawn events")
struct TimelineWithdrawingTests {
    @Test(
        "A consumer of the timeline never sees a gap, an overlap or too much distance",
        arguments: Array(1...24 as ClosedRange<UInt64>) + [63, 132, 266])
    func followed(seed: UInt64) throws {
        var tracker = Tracker(seed: (1, 2))
        var parted = tracker
        var follower = TimelineFollower()
        let inputs = HaltingDay(seed: seed).inputs
        for (index, input) in inputs.enumerated() {
            let outputs = tracker.handle(input)
            let batch = outputs.compactMap(\.event)
            follower.take(batch, "seed \(seed), input \(index)")
            // A later subscriber receives only the newest revision.
            #expect(batch.last.map { $0.id == tracker.timeline.events.open?.id && $0.end == nil } ?? true)
            #expect(parted.handle(input) == outputs)
            guard index % (90 + Int(seed)) == 0 || batch.count > 1 else { continue }
            let saved = try JSONEncoder().encode(parted)
            #expect(saved.count < 60_000)
            parted = try JSONDecoder().decode(Tracker.self, from: saved)
        }
        let last = try #require(inputs.last)
        follower.take(tracker.finish(at: last.clockReading).compactMap(\.event), "seed \(seed), end")
        #expect(follower.shown.allSatisfy { !$0.isProvisional }, "seed \(seed)")
        let meters = follower.shown.compactMap(\.way?.distanceMeters).reduce(0, +)
        // An instant is between two readings, and each is rounded to centimetres.
        #expect(meters <= tracker.odometer.totalMeters + 1, "seed \(seed)")
        for event in follower.shown { expectWay(of: event, "seed \(seed)") }
    }

    @Test(
        "A trip with any number of halts is one trip, and as long as the odometer's distance",
        arguments: 1...24 as ClosedRange<UInt64>)
    func trips(seed: UInt64) throws {
        var tracker = Tracker(seed: (1, 2))
        var follower = TimelineFollower()
        var totals: [(time: Timestamp, meters: Double)] = []
        let inputs = HaltingDay(seed: seed, isCalm: true).inputs
        for case .fix(let fix) in inputs {
            follower.take(tracker.handle(.fix(fix)).compactMap(\.event), "seed \(seed), \(fix.timestamp)")
            totals.append((fix.timestamp, tracker.odometer.totalMeters))
        }
        let last = try #require(inputs.last)
        follower.take(tracker.finish(at: last.clockReading).compactMap(\.event), "seed \(seed), end")
        for (event, next) in zip(follower.shown, follower.shown.dropFirst()) {
            #expect(event.letter != "D" || next.letter != "D", "seed \(seed): \(event)")
        }
        for event in follower.shown {
            guard let way = event.way, let end = event.end else { continue }
            let before = totals.last { $0.time <= event.start }?.meters ?? 0
            let after = totals.first { $0.time >= end }?.meters ?? 0
            // The distance that a stop held back counts from the departure.
            let slack = max(0.02 * (after - before), 45)
            #expect(abs(way.distanceMeters - (after - before)) < slack, "seed \(seed): \(event)")
        }
    }

    @Test("A roll to the next light just before a halt becomes a stop is a halt")
    func rollsOn() {
        let track = Track.drive { track in
            track.stand(seconds: 281)
            track.go(seconds: 8, metersPerSecond: 2)
            track.stand(seconds: 152)
        }
        #expect(track.fixes.timeline().latest.map(\.letter) == ["S", "D", "S"])
    }

    @Test("Departures are provisional even if every halt is a stop")
    func everyStandIsAStop() {
        var rules = TrackingConfiguration()
        rules.timeline.shortestStopSeconds = 0
        var tracker = Tracker(configuration: rules)
        let told = tracker.timeline(from: Track.turningBack().fixes)
        #expect(told.count(where: \.isWithdrawn) == 1)
        #expect(told.latest.map(\.letter) == ["S"])
    }

    @Test("A trip into a garage becomes final without further positions")
    func garage() throws {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 300, metersPerSecond: 12)
        track.stand(seconds: 150)
        var tracker = Tracker()
        let trip = try #require(tracker.timeline(from: track.fixes).latest.dropFirst().first)
        #expect(trip.letter == "D" && trip.isProvisional && trip.end != nil)
        func told(after seconds: Double) -> [TimelineEvent] {
            tracker.handle(.tick(track.moment(after: seconds))).compactMap(\.event)
        }
        #expect(told(after: TimelineRule().gapSeconds - 10).isEmpty)
        let last = told(after: 600)
        #expect(last.first { $0.id == trip.id }?.isProvisional == false)
        #expect(last.last?.letter == "S" && last.last?.end == nil)
    }

    @Test(
        "A start keeps the consumer's timeline valid, with any part of the state",
        arguments: UpdatedRun.Remains.allCases, 1...6 as ClosedRange<UInt64>)
    func recovered(_ remains: UpdatedRun.Remains, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var run = UpdatedRun(remains)
        var follower = TimelineFollower()
        var taken = 0
        let inputs = HaltingDay(seed: seed, isCalm: remains != .state && remains != .journal).inputs
        for (index, input) in inputs.enumerated() {
            let what = "\(remains), seed \(seed), input \(index)"
            run.take(input)
            follower.take(Array(run.events[taken...]), what)
            let hasWithdrawn = run.events[taken...].contains(where: \.isWithdrawn)
            taken = run.events.count
            if Int.random(in: 0..<150, using: &random) == 0 { run.save() }
            let isDoubtful = run.tracker.timeline.events.ended != nil && Int.random(in: 0..<60, using: &random) == 0
            guard hasWithdrawn || isDoubtful else { continue }
            try run.update()
            let batch = Array(run.events[taken...])
            follower.take(batch, what)
            taken = run.events.count
            #expect(
                batch.last.map { $0.id == run.tracker.timeline.events.open?.id && $0.end == nil } ?? true, "\(what)")
        }
        if let last = inputs.last { run.take(run.tracker.finish(at: last.clockReading)) }
        follower.take(Array(run.events[taken...]), "end")
        #expect(follower.shown.allSatisfy { !$0.isProvisional }, "\(remains), seed \(seed)")
        for event in follower.shown { expectWay(of: event, "\(remains), seed \(seed)") }
    }

    private func expectWay(of event: TimelineEvent, _ what: String) {
        guard let points = event.way?.waypoints, let first = points.first, let last = points.last, let end = event.end
        else { return }
        #expect(points.count <= TimelineRule().maximumWaypoints, "\(what)")
        #expect(first.timestamp >= event.start && last.timestamp <= end, "\(what): \(event)")
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp }, "\(what): \(event)")
    }
}

extension TimelineEvent {
    fileprivate var way: TimelineTransport? {
        if case .transport(let way) = kind { way } else { nil }
    }
}
