import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// The same drive at another place, or with slightly fewer fixes.
@Suite("Copies of a drive")
struct CopiedDriveTests {
    private struct Boundary: Equatable {
        let letter: Character
        let milliseconds: Int64
    }

    /// The days, and the times between two fixes. A day with a fix each second takes ten times as long.
    private static let days: [(seed: UInt64, seconds: Double)] =
        (1...8).map { ($0, 10) } + [(9, 1), (10, 1)]

    private func boundaries(_ fixes: [Fix]) -> [Boundary] {
        fixes.timeline().latest.map { Boundary(letter: $0.letter, milliseconds: $0.start.millisecondsSinceEpoch) }
    }

    @Test("A mirrored day has the same events at the same times", arguments: days)
    func mirrored(seed: UInt64, seconds: Double) {
        let fixes = VehicleDay(seed: seed, everySeconds: seconds).fixes
        let original = boundaries(fixes)
        #expect(original.count > 3)
        #expect(boundaries(fixes.mirroredInLatitude) == original)
        #expect(boundaries(fixes.mirroredInLongitude) == original)
        #expect(boundaries(fixes.mirroredInLatitude.mirroredInLongitude) == original)
    }

    @Test("A day of a vehicle with 300,000 km on its odometer has the same events and distances", arguments: days)
    func driven(seed: UInt64, seconds: Double) throws {
        let fixes = VehicleDay(seed: seed, everySeconds: seconds).fixes
        let original = fixes.timeline().latest
        var tracker = Tracker()
        let reading = tracker.handle(.odometer(meters: 3e8, at: try #require(fixes.first).received))
        let events = (reading.compactMap(\.event) + tracker.timeline(from: fixes)).latest
        #expect(events.map(\.start) == original.map(\.start))
        #expect(events.map(\.letter) == original.map(\.letter))
        for (event, other) in zip(events, original) { #expect(abs(event.distanceMeters - other.distanceMeters) < 0.01) }
    }

    @Test(
        "A day at the antimeridian, or years later, has the same events within a second",
        arguments: [11, 12] as [UInt64])
    func moved(seed: UInt64) {
        let fixes = VehicleDay(seed: seed, everySeconds: 1).fixes
        let original = boundaries(fixes)
        let later = 1000.25 * 86_400
        let copies = [(fixes.moved(longitude: { $0 + 180 - 16.37 }), 0.0), (fixes.delayed(bySeconds: later), later)]
        for (copy, delay) in copies {
            let moved = boundaries(copy)
            #expect(moved.map(\.letter) == original.map(\.letter))
            for (one, other) in zip(moved, original) {
                #expect(abs(Double(one.milliseconds - other.milliseconds) / 1000 - delay) <= 1)
            }
        }
    }

    @Test("The centre of an even number of windows mirrors with them")
    func median() throws {
        var track = Track()
        for step in 0..<20 {
            track.go(
                seconds: 5, metersPerSecond: [1.7, 0.2, 0.9, 1.2][step % 4], headingDegrees: Double(step * step * 37))
        }
        let fixes = [track.fixes, track.fixes.mirroredInLatitude, track.fixes.mirroredInLongitude]
        let centers = fixes.map { fixes in
            var movement = MovementTracker()
            var windows = MotionWindowBuilder()
            for fix in fixes {
                guard let measurement = windows.add(fix) else { continue }
                movement.update(
                    with: measurement, fix: fix, odometerMeters: 0, model: .standard, historySeconds: 240,
                    movingThresholdMetersPerSecond: SegmentationParameters().movingThresholdMetersPerSecond)
            }
            let history = MovementHistory(
                movement, totalMeters: 0, rules: SegmentationRules(TrackingConfiguration()))
            return history.medianCenter(of: 0..<(history.windows.count / 2 * 2))
        }
        #expect(centers[1].latitudeDegrees == -centers[0].latitudeDegrees)
        #expect(centers[1].longitudeDegrees == centers[0].longitudeDegrees)
        #expect(centers[2].latitudeDegrees == centers[0].latitudeDegrees)
        #expect(centers[2].longitudeDegrees == -centers[0].longitudeDegrees)
    }

    /// Of 20 trips one may change: a halt in a jam that is as long as a stop is a matter of seconds.
    @Test("Days without a tenth of their fixes have the same trips, with ends within some seconds")
    func thinned() {
        var (kept, count) = (0, 0)
        var shifts: [Double] = []
        for seed in 1...12 as ClosedRange<UInt64> {
            let fixes = VehicleDay(seed: seed, everySeconds: 1).fixes
            let trips = fixes.timeline().latest.trips
            let told = fixes.thinned(by: 0.1, seed: seed).timeline().latest.trips
            count += trips.count
            for trip in trips {
                guard let copy = told.first(where: { $0.overlaps(trip) }) else { continue }
                let start = abs(copy.lowerBound.seconds(since: trip.lowerBound))
                let end = abs(copy.upperBound.seconds(since: trip.upperBound))
                kept += max(start, end) <= 120 ? 1 : 0
                shifts += [start, end]
            }
        }
        #expect(count > 30)
        #expect(kept >= count - count / 20)
        #expect(shifts.sorted()[shifts.count * 19 / 20] <= 15)
    }
}

extension [TimelineEvent] {
    /// The trips: runs of adjacent transport events.
    fileprivate var trips: [Range<Timestamp>] {
        reduce(into: []) { trips, event in
            guard case .transport = event.kind else { return }
            let end = event.end ?? event.lastUpdate
            if let last = trips.last, last.upperBound == event.start {
                trips[trips.count - 1] = last.lowerBound..<end
            } else {
                trips.append(event.start..<end)
            }
        }
    }
}
