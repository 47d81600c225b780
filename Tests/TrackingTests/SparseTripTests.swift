import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// The fixes are as far apart as a short trip or a halt lasts.
@Suite("Short trips between sparse fixes")
struct SparseTripTests {
    /// Three ways of 300 m in 42 s, with a rest of a quarter of an hour at each place.
    private func errands(every interval: Double, reportsSpeed: Bool) -> [Fix] {
        var track = Track()
        track.stand(seconds: 600)
        for heading in [80.0, 120, 60] {
            track.go(seconds: 42, metersPerSecond: 7.14, headingDegrees: heading)
            track.stand(seconds: 900)
        }
        return track.fixes.enumerated().filter { $0.offset % Int(interval) == 0 }.map(\.element).map {
            reportsSpeed ? $0 : $0.withoutSpeed
        }
    }

    @Test(
        "Each of three short ways is a trip, and each rest between them a stop",
        arguments: [true, false], [TransportMode?.none, .car])
    func errands(reportsSpeed: Bool, vehicle: TransportMode?) {
        for interval in [30.0, 60] {
            let events = errands(every: interval, reportsSpeed: reportsSpeed).timeline(vehicle: vehicle).latest
            let isTransport = events.map { if case .transport = $0.kind { true } else { false } }
            #expect(isTransport == [false, true, false, true, false, true, false], "a fix in \(interval) s")
        }
    }

    @Test("A way of 30 m that sparse fixes with speeds show around a stop is told, and noise of a stop is none")
    func shunting() {
        var track = Track()
        track.stand(seconds: 300, every: 10)
        var anchor = StopAnchor(at: track.fixes[0])
        var told: [Double] = []
        for (speed, meters) in [(2.5, 12.0), (0, 18), (0, 0)] {
            track.move(meters: meters)
            track.add(track.end, speed: speed)
            track.pause(seconds: 10)
        }
        for fix in track.fixes.dropFirst() {
            _ = anchor.update(with: fix, jump: nil, tortuosity: Tortuosity(), dismiss: { told.append($0) })
        }
        #expect(told.count == 1 && told.allSatisfy { (12...30).contains($0) }, "\(told)")
    }

    @Test("In a queue that goes on by a car's length now and then, noise counts nothing at the halts")
    func queue() {
        var random = SplitMix64(seed: 7)
        var track = Track()
        track.stand(seconds: 600, every: 5)
        for _ in 0..<20 {
            track.go(seconds: 10, metersPerSecond: 2, every: 5)
            track.stand(seconds: 180, every: 5)
        }
        var odometer = Odometer()
        for fix in track.fixes {
            var seen = fix
            seen.coordinate = LocalPlane(origin: fix.coordinate).coordinate(of: random.scatter(1.5))
            seen.speedMetersPerSecond = (fix.speedMetersPerSecond ?? 0) + 0.05
            odometer.advance(to: seen)
        }
        #expect(
            abs(odometer.meters - 400) <= min(odometer.errorMeters, 40), "\(odometer.meters) ± \(odometer.errorMeters)")
    }

    @Test("A silence of hours does not count the way round that a short one would", arguments: [1800.0, 7200, 28800])
    func parked(seconds: Double) {
        var track = Track()
        track.add(.gulf, speed: 3, heading: 200)
        track.pause(seconds: seconds)
        track.add(
            LocalPlane(origin: .gulf).coordinate(of: LocalPoint(eastMeters: 150, northMeters: 0)), speed: 3,
            heading: 340)
        let segment = SegmentDistance(
            from: track.fixes[0], to: track.fixes[1], tortuosity: Tortuosity(), noiseMeters: 0.5)
        #expect(segment.meters < 300, "\(segment.meters)")
    }

    @Test("A vehicle that searches for a space after a drive has not been left for a run")
    func search() {
        var track = Track()
        track.stand(seconds: 600)
        track.go(seconds: 300, metersPerSecond: 11)
        var heading = 90.0
        for _ in 0..<25 {
            track.go(seconds: 14, metersPerSecond: 3, headingDegrees: heading)
            heading += 90
            track.go(seconds: 4, metersPerSecond: 2, headingDegrees: heading)
        }
        track.stand(seconds: 1200)
        #expect(track.fixes.timeline().latest.map(\.letter) == ["S", "D", "S"])
    }

    @Test("A halt below the shortest stop divides no trip, also where no speeds are reported")
    func halt() {
        let track = Track.halting(seconds: 290)
        let events = track.fixes.map(\.withoutSpeed).timeline(vehicle: .car).latest
        #expect(events.map(\.letter) == ["S", "D", "S"])
    }
}

extension [Fix] {
    /// Returns the revisions of the timeline of a receiver in a vehicle; nil for any mode.
    fileprivate func timeline(vehicle: TransportMode?) -> [TimelineEvent] {
        var tracker = Tracker(aboard: vehicle)
        return tracker.timeline(from: self)
    }
}
