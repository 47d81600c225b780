import CivilTime
import Harness
import OdographModel
import Testing

@testable import Tracking

/// A receiver whose rate is let down while the vehicle is parked: the fence around the parked place is the tracker's
/// own.
@Suite("A receiver that rests while the vehicle is parked")
struct ParkedReceiverTests {
    @Test("No trip's start is missed, and each is back-dated to within a minute", arguments: [5.0, 15])
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
            // Most of the stand was at the low rate.
            #expect(taken < 400 + 200 + Int(400 / standingSeconds) + 60)
        }
    }

    /// What is wished of the receiver after each input, starting from the full rate.
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

    @Test("A tracker that has never seen its vehicle move lets the rate down by the rule for standing")
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
        "Whoever asks for a position of a parked vehicle has the full rate until it is answered", arguments: [2, 1000])
    func asked(samples: Int) throws {
        var wishes = Wishes()
        let fixes = Self.fixes(standing: 300)
        for fix in fixes.dropLast(60) { wishes.take(.fix(fix)) }
        #expect(wishes.told == .reduced)
        let now = try #require(fixes.dropLast(60).last).received
        // Better than any: it is answered for its samples, or for its time.
        let request = PositionRequest(id: 1, samples: samples, desiredAccuracyMeters: 0.1, timeoutSeconds: 30)
        wishes.take(.positionRequest(request, at: now))
        #expect(wishes.told == .full)
        for fix in fixes.suffix(60) { wishes.take(.fix(fix)) }
        #expect(wishes.told == .reduced)
        #expect(wishes.count == 3)
    }

    @Test(
        "A schedule that opens on a parked vehicle leaves the rate down", arguments: [OffScheduleRule.Mode.stop, .tag])
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
