import CivilTime
import Testing

@testable import Tracking

/// A receiver whose rate is let down while the vehicle is parked: the fence around the parked place is the tracker's own.
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
                    if case .receiver(let wish) = output { isReduced = wish == .reduced }
                    if let event = output.timelineEvent { events.append(event) }
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
}
