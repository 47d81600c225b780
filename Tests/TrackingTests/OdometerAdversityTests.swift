import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The odometer with faulty receivers")
struct OdometerAdversityTests {
    /// The faults of a receiver, or of the connection to it.
    enum Adversity: String, CaseIterable {
        case doubled, stepsBackOnce, stepsBackForGood, repeatsOldOnes, silentForHours, noAccuracy
        case accuracyZero, noHeight, wildPlaces, wildPlacesWithSpeed

        func spoil(_ fixes: [Fix], using random: inout SplitMix64) -> [Fix] {
            let middle = fixes.count / 2
            switch self {
            case .doubled: return fixes.flatMap { [$0, $0] }
            case .stepsBackOnce: return changed(fixes, each: 40) { $0.timestamp = $0.timestamp.advanced(bySeconds: -7) }
            case .stepsBackForGood: return shifted(fixes, from: middle, bySeconds: -5)
            case .repeatsOldOnes:
                return fixes.indices.flatMap { $0 % 30 == 29 ? [fixes[$0], fixes[$0 - 20]] : [fixes[$0]] }
            case .silentForHours: return shifted(fixes, from: middle, bySeconds: 7 * 3600)
            case .noAccuracy: return changed(fixes) { $0.accuracyMeters = nil }
            case .accuracyZero: return changed(fixes) { $0.accuracyMeters = 0 }
            case .noHeight: return changed(fixes) { $0.altitudeMeters = nil }
            case .wildPlaces, .wildPlacesWithSpeed:
                var copy = random
                defer { random = copy }
                return changed(fixes, each: 25) { fix in
                    let heading = Double.random(in: 0..<360, using: &copy)
                    let meters = Double.random(in: 3000...900_000, using: &copy)
                    fix.coordinate = fix.coordinate.destination(headingDegrees: heading, distanceMeters: meters)
                    if self == .wildPlacesWithSpeed { fix.speedMetersPerSecond = 300 }
                }
            }
        }

        private func changed(_ fixes: [Fix], each count: Int = 1, by change: (inout Fix) -> Void) -> [Fix] {
            fixes.indices.map { index in
                var fix = fixes[index]
                if index % count == count - 1 { change(&fix) }
                return fix
            }
        }

        /// Steps the receiver's clock. A forward step also moves the reception times, so that no fix comes early.
        private func shifted(_ fixes: [Fix], from start: Int, bySeconds seconds: Double) -> [Fix] {
            fixes.indices.map { index in
                var fix = fixes[index]
                guard index >= start else { return fix }
                fix.timestamp = fix.timestamp.advanced(bySeconds: seconds)
                if seconds > 0 { fix.received = ClockReading(replayed: fix.timestamp) }
                return fix
            }
        }
    }

    @Test(
        "The truth stays within the error, and wild fixes add no distance", arguments: Adversity.allCases,
        [0.1, 1, 10])
    func stays(adversity: Adversity, interval: Double) {
        for road in [SimulatedRoad.cityGrid, .commute] {
            let drive = RoadDrive(on: road, seed: 11, seconds: 900, from: RoadDrive.town)
            var random = SplitMix64(seed: 5)
            var tracker = Tracker()
            for fix in adversity.spoil(drive.fixes(everySeconds: interval), using: &random) {
                _ = tracker.handle(.fix(fix))
            }
            let truth = drive.trueMeters(everySeconds: interval)
            let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
            #expect(abs(meters - truth) <= error, "\(road): \(meters) ± \(error) of \(truth)")
            #expect(error < 0.4 * truth, "\(road): ± \(error) of \(truth)")
        }
    }

    @Test("Two receivers under one name, both sure of their place, add no distance", arguments: [0.1, 1])
    func anotherReceiver(interval: Double) {
        for road in [SimulatedRoad.cityGrid, .commute] {
            let drive = RoadDrive(on: road, seed: 11, seconds: 900, from: RoadDrive.town)
            var fixes = drive.fixes(everySeconds: interval)
            for index in fixes.indices {
                fixes[index].accuracyMeters = 5
                guard index % 2 == 1 else { continue }
                fixes[index].coordinate = fixes[index].coordinate.destination(headingDegrees: 40, distanceMeters: 43)
            }
            var tracker = Tracker()
            for fix in fixes { _ = tracker.handle(.fix(fix)) }
            let truth = drive.trueMeters(everySeconds: interval)
            let (meters, error) = (tracker.odometerMeters, tracker.odometerErrorMeters)
            #expect(abs(meters - truth) <= error, "\(road): \(meters) ± \(error) of \(truth)")
            #expect(error < 0.08 * truth, "\(road): ± \(error) of \(truth)")
        }
    }

    @Test("Positions that a reflection leads past the halt that was left count once", arguments: 40...48)
    func passing(lateSeconds: Int) {
        var track = Track()
        track.stand(seconds: 300, every: 1)
        track.go(seconds: 200, metersPerSecond: 11, every: 1)
        let plain = track.fixes.reduce(into: Tracker()) { _ = $0.handle(.fix($1)) }
        let heading = track.fixes[300].coordinate.initialHeadingDegrees(to: track.end)
        var tracker = Tracker()
        for (index, fix) in track.fixes.enumerated() {
            var fix = fix
            if (303..<303 + lateSeconds).contains(index) {
                fix.coordinate = fix.coordinate.destination(headingDegrees: heading + 180, distanceMeters: 140)
            }
            _ = tracker.handle(.fix(fix))
        }
        let more = tracker.odometerMeters - plain.odometerMeters
        #expect(abs(more) < 30, "\(more)")
        #expect(tracker.odometerErrorMeters < plain.odometerErrorMeters + 100, "\(tracker.odometerErrorMeters)")
    }

    @Test("A gap during a trip is bridged, with an error that covers it", arguments: [60.0, 240])
    func silence(seconds: Double) {
        var inside = 0
        for road in SimulatedRoad.allCases {
            for seed in 501...503 as ClosedRange<UInt64> {
                let drive = RoadDrive(on: road, seed: seed, seconds: 1000, from: RoadDrive.town)
                let fixes = drive.fixes(everySeconds: 1)
                var odometer = Odometer()
                for fix in fixes {
                    let elapsed = fix.timestamp.seconds(since: fixes[0].timestamp)
                    if elapsed < 500 || elapsed > 500 + seconds { odometer.advance(to: fix) }
                }
                if abs(odometer.meters - drive.trueMeters(everySeconds: 1)) <= odometer.errorMeters { inside += 1 }
            }
        }
        #expect(inside >= 21, "\(inside) of 24")
    }

    @Test("The distance of an uncertain departure is within the error", arguments: [10.0, 30, 60])
    func doubtful(interval: Double) {
        var outside = 0
        var count = 0
        for seed in 401...406 as ClosedRange<UInt64> {
            let drive = RoadDrive(on: .deliveryRound, seed: seed, seconds: 1200, from: RoadDrive.town)
            var odometer = Odometer()
            for (fix, sight) in zip(drive.fixes(everySeconds: interval), drive.sights(everySeconds: interval)) {
                odometer.advance(to: fix)
                // Within the receiver's noise a departure cannot be detected.
                let margin = odometer.errorMeters + 2 * drive.accuracyMeters
                if abs(odometer.meters - sight.trueMeters) > margin { outside += 1 }
                count += 1
            }
        }
        #expect(outside * 10 <= count, "\(outside) of \(count)")
    }
}
