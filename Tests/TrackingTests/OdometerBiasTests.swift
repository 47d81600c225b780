import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// Errors that add up: a small one of each leg, stop or doubt is a large one of a day.
@Suite("The odometer has no bias")
struct OdometerBiasTests {
    /// A receiver at a vehicle that drives east.
    private struct Receiver {
        var fixes: [Fix] = []
        var meters = 0.0
        var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        var random: SplitMix64
        /// The independent noise of an axis, metres.
        var noiseMeters = 0.3
        var accuracyMeters = 5.0
        var speedFactor = 1.0
        var stepSeconds = 1.0
        private let plane = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37).map(LocalPlane.init(origin:))

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        /// Moves at a speed, metres a second, and reports a position that is off by some metres to the north.
        mutating func go(seconds: Double, at speed: Double = 0, offMeters off: Double = 0) {
            var left = seconds
            while left > 0 {
                let error = random.scatter(noiseMeters)
                let seen = LocalPoint(eastMeters: meters + error.eastMeters, northMeters: off + error.northMeters)
                guard let place = plane?.coordinate(of: seen) else { return }
                fixes.append(
                    Fix(
                        timestamp: time, received: ClockReading(replayed: time), coordinate: place,
                        accuracyMeters: accuracyMeters,
                        speedMetersPerSecond: abs(speed * speedFactor + 0.05 * random.normal()),
                        headingDegrees: speed > 1 ? 90 : nil))
                meters += speed * stepSeconds
                time = time.advanced(bySeconds: stepSeconds)
                left -= stepSeconds
            }
        }

        /// Some drives between stops, with the speeds of a town.
        mutating func drive(times: Int) {
            go(seconds: 600)
            for _ in 0..<times {
                for speed in [4.0, 9, 13, 13, 12, 14, 13, 8, 3] { go(seconds: 15, at: speed) }
                go(seconds: 90)
            }
        }
    }

    private func odometer(after receiver: Receiver) -> (meters: Double, error: Double) {
        var tracker = Tracker()
        _ = tracker.timeline(from: receiver.fixes)
        return (tracker.odometerMeters, tracker.odometerErrorMeters)
    }

    /// Expects an error below a share of the distance, and inside the bound.
    private func expectNoBias(of receiver: Receiver, share limit: Double, at place: SourceLocation = #_sourceLocation) {
        let (meters, error) = odometer(after: receiver)
        let share = (meters - receiver.meters) / receiver.meters
        #expect(abs(share) < limit, "\(share)", sourceLocation: place)
        #expect(abs(meters - receiver.meters) <= error, sourceLocation: place)
    }

    @Test(
        "Positions that glide to their place after a cold start are no distance of the first drive",
        arguments: [1.0, 5, 10], [5.0, 0])
    func coldStart(step: Double, accuracy: Double) {
        var receiver = Receiver(seed: 1)
        receiver.stepSeconds = step
        for second in stride(from: 0.0, to: 120, by: step) {
            let glide = exp(-second / 15)
            // An accuracy that shrinks with the error, and is too good, or one that stays as it is.
            receiver.accuracyMeters = accuracy > 0 ? accuracy : max(400 / 3 * glide, 2)
            receiver.go(seconds: step, offMeters: 400 * glide)
        }
        receiver.drive(times: 3)
        let (meters, error) = odometer(after: receiver)
        #expect(abs(meters - receiver.meters) <= min(error, 40 + 0.01 * receiver.meters), "\(meters - receiver.meters)")
    }

    @Test(
        "A parked receiver that was elsewhere for half a minute does not lengthen the next departure", arguments: 1...5)
    func elsewhere(seed: UInt64) {
        var receiver = Receiver(seed: seed)
        receiver.accuracyMeters = 10
        receiver.go(seconds: 1200)
        receiver.go(seconds: 30, offMeters: 55)
        receiver.go(seconds: 1200)
        receiver.go(seconds: 30, at: 1.3)
        receiver.go(seconds: 300)
        let (meters, error) = odometer(after: receiver)
        #expect(abs(meters - receiver.meters) <= min(error, 8), "\(meters) of \(receiver.meters) ± \(error)")
    }

    @Test("A step in doubt is counted once where the speeds measure it", arguments: 1...5)
    func doubts(seed: UInt64) {
        var receiver = Receiver(seed: seed)
        (receiver.noiseMeters, receiver.accuracyMeters) = (5, 4)
        receiver.drive(times: 12)
        expectNoBias(of: receiver, share: 0.004)
    }

    @Test("Noise of positions lengthens no drive with a fix in some seconds", arguments: [5.0, 10], 1...5)
    func noise(seconds: Double, seed: UInt64) {
        var receiver = Receiver(seed: seed)
        (receiver.noiseMeters, receiver.accuracyMeters, receiver.stepSeconds) = (5, 12, seconds)
        receiver.drive(times: 12)
        expectNoBias(of: receiver, share: 0.013)
    }

    @Test("A scale that is found later corrects nothing that lines have measured", arguments: [0.7, 1.08], 1...5)
    func scale(factor: Double, seed: UInt64) {
        var receiver = Receiver(seed: seed)
        (receiver.speedFactor, receiver.stepSeconds) = (factor, 5)
        receiver.drive(times: 12)
        expectNoBias(of: receiver, share: 0.005)
    }

    @Test("Stretches that differ by more than their errors show a larger error of the scale")
    func scatter() {
        var (calm, wild) = (DistanceScale(), DistanceScale())
        for index in 0..<60 {
            calm.learn(meters: 200 + (index % 2 == 0 ? 1 : -1), measured: 200, variance: 4, memoryMeters: 5000)
            wild.learn(meters: 200 + (index % 2 == 0 ? 6 : -6), measured: 200, variance: 4, memoryMeters: 5000)
        }
        #expect(abs(calm.standardError / wild.standardError - 1) < 0.01)
        #expect(calm.shownError < calm.standardError)
        #expect(wild.shownError > 2 * wild.standardError)
    }

    @Test(
        "The length of a line is right on average, however short it is beside the noise", arguments: [0.0, 5, 15, 60])
    func lines(length: Double) {
        var random = SplitMix64(seed: 7)
        let deviation = 5.0
        var sum = 0.0
        for _ in 0..<4000 {
            let error = random.scatter(deviation * 2.0.squareRoot())
            let seen = LocalPoint(eastMeters: length + error.eastMeters, northMeters: error.northMeters)
            let line = seen.distanceMeters(to: .zero)
            sum += line - PositionLeg.excessMeters(ofLine: line, noiseMeters: deviation)
        }
        // The noise alone makes a line of 8.9 m. Only a length of 0 cannot be told.
        #expect(abs(sum / 4000 - length) < (length == 0 ? 3.6 : 1.4), "\(sum / 4000)")
    }
}
