import OdographHarness
import OdographCivilTime
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The tracker")
struct TrackerTests {
    /// Returns a vehicle that has been stationary, and its tracker.
    private func standing(seconds: Double) -> (track: Track, tracker: Tracker) {
        var track = Track()
        track.stand(seconds: seconds)
        var tracker = Tracker()
        _ = tracker.locations(from: track.fixes)
        return (track, tracker)
    }

    /// Returns the time between records, seconds.
    private func gaps(_ locations: [TrackedLocation]) -> [Double] {
        zip(locations.dropFirst(), locations).map { $0.fix.timestamp.seconds(since: $1.fix.timestamp) }
    }

    @Test("A position request takes three samples within 30 s by default")
    func requestDefaults() {
        let request = PositionRequest(id: 1)
        #expect(request.samples == 3 && request.desiredAccuracyMeters == 10 && request.timeoutSeconds == 30)
        #expect(request.isPersisted)
    }

    @Test("The first accepted fix is recorded")
    func firstFix() {
        var track = Track()
        track.stand(seconds: 5)
        var tracker = Tracker()
        let locations = tracker.locations(from: track.fixes)
        #expect(locations.count == 1)
        #expect(locations.first?.cause == nil)
    }

    @Test("A drive at 14 m/s is recorded every ten seconds, at the distance rule")
    func distanceRule() {
        var track = Track()
        track.go(seconds: 300, metersPerSecond: 14)
        var tracker = Tracker()
        let plain = tracker.locations(from: track.fixes).filter { $0.cause == nil }
        #expect(plain.count > 25)
        #expect(gaps(plain).dropFirst().allSatisfy { $0 == 10 })
    }

    @Test("A bend of more than ten degrees is recorded before the distance rule is met")
    func headingRule() {
        var configuration = TrackingConfiguration()
        configuration.sampling.distanceMeters = 5000
        var track = Track()
        track.go(seconds: 60, metersPerSecond: 14, headingDegrees: 90)
        let bend = track.now
        track.go(seconds: 60, metersPerSecond: 14, headingDegrees: 120)
        var tracker = Tracker(configuration: configuration)
        let locations = tracker.locations(from: track.fixes)
        #expect(locations.contains { $0.cause == nil && $0.fix.timestamp == bend })
    }

    @Test("A halt is recorded once, as soon as another record is allowed", arguments: [3.0, 9, 30])
    func halt(after seconds: Double) throws {
        var track = Track()
        track.go(seconds: 60, metersPerSecond: 14)
        track.go(seconds: seconds, metersPerSecond: 2)
        let halt = track.now
        track.stand(seconds: 60)
        track.go(seconds: 60, metersPerSecond: 14)
        var tracker = Tracker()
        let locations = tracker.locations(from: track.fixes)
        let standing = locations.filter { $0.fix.timestamp >= halt && $0.fix.speedMetersPerSecond == 0 }
        #expect(standing.count == 1)
        let before = try #require(locations.last { $0.fix.timestamp < halt })
        let due = before.fix.timestamp.advanced(bySeconds: 10)
        #expect(standing.first?.fix.timestamp == max(halt, due))
    }

    @Test("Without distance or bend a record comes after the maximum interval")
    func maximumInterval() {
        var configuration = TrackingConfiguration()
        configuration.sampling.distanceMeters = 100_000
        var track = Track()
        track.go(seconds: 1000, metersPerSecond: 10)
        var tracker = Tracker(configuration: configuration)
        let plain = tracker.locations(from: track.fixes)
        #expect(gaps(plain).last == 300)
    }

    @Test("A departure and an arrival each make one motionchange")
    func motionChange() {
        var track = Track()
        track.stand(seconds: 300)
        let departure = track.now
        track.go(seconds: 600, metersPerSecond: 12)
        let arrival = track.now
        track.stand(seconds: 600)
        var tracker = Tracker()
        let changes = tracker.locations(from: track.fixes).filter { $0.cause == .motionChange }
        #expect(changes.map(\.isMoving) == [false, true, false])
        #expect(changes[1].fix.timestamp.seconds(since: departure) < 10)
        #expect((105...130).contains(changes[2].fix.timestamp.seconds(since: arrival)))
        #expect(!tracker.isMoving)
    }

    @Test("A heartbeat is due after an interval without a record, at any rate of ticks")
    func heartbeat() {
        var (track, seldom) = standing(seconds: 300)
        var often = seldom
        let end = track.now.advanced(bySeconds: 3 * 3600)
        var sparse: [TrackerOutput] = []
        for hour in 1...3 {
            sparse += seldom.handle(.tick(track.moment(after: Double(hour) * 3600)))
        }
        var dense: [TrackerOutput] = []
        var time = track.now
        while time <= end {
            dense += often.handle(.tick(ClockReading(replayed: time)))
            time = time.advanced(bySeconds: 17)
        }
        #expect(sparse == dense)
        #expect(sparse.compactMap(\.location).map(\.cause) == [.heartbeat, .heartbeat, .heartbeat])
    }

    @Test("The loss of the source is recorded once, and its return with the next fix")
    func providerChange() {
        var (track, tracker) = standing(seconds: 10)
        var outputs = tracker.handle(.source(.lost, at: track.moment()))
        outputs += tracker.handle(.tick(track.moment(after: 9)))
        #expect(outputs.isEmpty)
        outputs = tracker.handle(.tick(track.moment(after: 60)))
        #expect(outputs.compactMap(\.location).map(\.cause) == [.providerChange])
        #expect(outputs.first?.location?.ageMilliseconds == 11_000)
        track.pause(seconds: 60)
        outputs = tracker.handle(.source(.available, at: track.moment()))
        #expect(outputs.isEmpty)
        let before = track.fixes.count
        track.stand(seconds: 2)
        let back = tracker.locations(from: Array(track.fixes[before...]))
        #expect(back.map(\.cause) == [.providerChange])
    }

    @Test("A short loss of the source is not recorded")
    func shortAbsence() {
        var (track, tracker) = standing(seconds: 10)
        _ = tracker.handle(.source(.noFix, at: track.moment()))
        _ = tracker.handle(.source(.available, at: track.moment(after: 5)))
        let outputs = tracker.handle(.tick(track.moment(after: 60)))
        #expect(outputs.isEmpty)
    }

    @Test("A position request takes samples and answers with the best of them")
    func positionRequest() {
        var (track, tracker) = standing(seconds: 3)
        let request = PositionRequest(id: 7, samples: 3, desiredAccuracyMeters: 1, isPersisted: true)
        _ = tracker.handle(.positionRequest(request, at: track.moment()))
        var outputs: [TrackerOutput] = []
        for accuracy in [9.0, 5, 7] {
            let before = track.fixes.count
            track.go(seconds: 1, metersPerSecond: 0, accuracyMeters: accuracy)
            outputs += tracker.handle(.fix(track.fixes[before]))
        }
        let samples = outputs.filter { if case .sample(let location) = $0 { location.isSample } else { false } }
        #expect(samples.count == 3)
        let answers = outputs.compactMap { output -> Double? in
            if case .position(let location, request: 7) = output { location?.fix.accuracyMeters } else { nil }
        }
        #expect(answers == [5])
        #expect(outputs.compactMap(\.location).map(\.fix.accuracyMeters) == [5])
    }

    @Test("A position request without a fix is answered at its timeout")
    func requestTimesOut() {
        var tracker = Tracker()
        let start = Track().now
        _ = tracker.handle(
            .positionRequest(PositionRequest(id: 1, timeoutSeconds: 20), at: ClockReading(replayed: start)))
        #expect(tracker.secondsUntilDue(at: ClockReading(replayed: start)) == 20)
        let outputs = tracker.handle(.tick(ClockReading(replayed: start.advanced(bySeconds: 20))))
        #expect(outputs == [.position(nil, request: 1)])
    }

    @Test("While tracking is off nothing is recorded")
    func disabled() {
        var track = Track()
        track.go(seconds: 60, metersPerSecond: 12)
        var tracker = Tracker(configuration: .off)
        let locations = tracker.locations(from: track.fixes)
        #expect(locations.isEmpty)
    }

    @Test("The odometer counts a straight drive and survives being saved", arguments: [0.1, 1, 10, 60])
    func odometer(interval: Double) throws {
        var track = Track()
        track.stand(seconds: 300)
        track.go(seconds: 1800, metersPerSecond: 15, every: interval)
        var tracker = Tracker()
        _ = tracker.locations(from: track.fixes)
        #expect(abs(tracker.odometerMeters - 27_000) <= max(tracker.odometerErrorMeters, 15 * interval + 100))
        _ = tracker.handle(.odometer(meters: 5, at: track.moment()))
        #expect(tracker.odometerMeters == 5)
        #expect(tracker.odometerErrorMeters == 0)
    }
}
