import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// A receiver whose rate is reduced while the vehicle is parked. The tracker itself watches the parked position.
@Suite("A reduced fix rate while the vehicle is parked")
struct ParkedReceiverTests {
    @Test("No start of a trip is missed, and each is back-dated to within a minute", arguments: [5.0, 15])
    func starts(standingSeconds: Double) throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            var drive = SimulatedDrive(seed: seed)
            drive.stand(seconds: 600)
            let departure = drive.now
            drive.drive(seconds: 400)
            var tracker = Tracker()
            var isReduced = false
            var last: Timestamp?
            var events: [TimelineEvent] = []
            var taken = 0
            for fix in drive.fixes {
                if isReduced, let last, fix.timestamp.seconds(since: last) < standingSeconds { continue }
                last = fix.timestamp
                taken += 1
                for output in tracker.handle(.fix(fix)) {
                    if case .fixRate(let wish) = output { isReduced = wish == .reduced }
                    if let event = output.event { events.append(event) }
                }
            }
            let trips = events.latest.filter { $0.letter == "D" }
            let trip = try #require(trips.first, "seed \(seed)")
            #expect(trips.count == 1)
            #expect(abs(trip.start.seconds(since: departure)) <= 60, "seed \(seed)")
            #expect(!isReduced)
            // Most of the stop was at the reduced rate.
            #expect(taken < 400 + 200 + Int(400 / standingSeconds) + 60)
        }
    }

    /// The requested rate after each input, from the full rate on.
    private struct Wishes {
        var tracker = Tracker()
        private(set) var told = FixRate.full
        private(set) var count = 0

        mutating func take(_ input: TrackerInput) {
            for case .fixRate(let wish) in tracker.handle(input) {
                #expect(wish != told, "it is told twice")
                (told, count) = (wish, count + 1)
            }
            #expect(told == tracker.requiredFixRate)
        }
    }

    private static func fixes(standing seconds: Double) -> [Fix] {
        var drive = SimulatedDrive(seed: 7)
        drive.stand(seconds: seconds)
        return drive.fixes
    }

    @Test("A tracker that has never seen its vehicle move reduces the rate by the stationary rule")
    func newlyInstalled() throws {
        var wishes = Wishes()
        var reducedAfter: Double?
        let fixes = Self.fixes(standing: 300)
        let first = try #require(fixes.first)
        for fix in fixes {
            wishes.take(.fix(fix))
            if wishes.told == .reduced, reducedAfter == nil {
                reducedAfter = fix.timestamp.seconds(since: first.timestamp)
            }
        }
        #expect(wishes.told == .reduced)
        let seconds = try #require(reducedAfter)
        #expect(abs(seconds - StationaryRule().intervalSeconds) <= 2)
    }

    @Test(
        "A position request for a parked vehicle gets the full rate until it is answered", arguments: [2, 1000])
    func asked(samples: Int) throws {
        var wishes = Wishes()
        let fixes = Self.fixes(standing: 300)
        for fix in fixes.dropLast(60) { wishes.take(.fix(fix)) }
        #expect(wishes.told == .reduced)
        let now = try #require(fixes.dropLast(60).last).received
        // No fix is good enough: the answer comes after the samples, or at the timeout.
        let request = PositionRequest(id: 1, samples: samples, desiredAccuracyMeters: 0.1, timeoutSeconds: 30)
        wishes.take(.positionRequest(request, at: now))
        #expect(wishes.told == .full)
        for fix in fixes.suffix(60) { wishes.take(.fix(fix)) }
        #expect(wishes.told == .reduced)
        #expect(wishes.count == 3)
    }

    @Test(
        "A schedule that opens while parked does not raise the rate", arguments: [OffScheduleRule.Mode.stop, .tag])
    func schedule(mode: OffScheduleRule.Mode) throws {
        var wishes = Wishes()
        let fixes = Self.fixes(standing: 300)
        for fix in fixes.dropLast(60) { wishes.take(.fix(fix)) }
        let now = try #require(fixes.dropLast(60).last).received
        wishes.take(.schedule(.closed(OffScheduleRule(mode: mode)), at: now))
        #expect(wishes.told == .reduced)
        wishes.take(.schedule(.open, at: now))
        for fix in fixes.suffix(60) { wishes.take(.fix(fix)) }
        #expect(wishes.told == .reduced)
        #expect(wishes.count == 1)
    }
}
