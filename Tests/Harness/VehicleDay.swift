import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel
import OdographTracking

/// A day of a vehicle on simulated roads from stop to stop, with the truth to the tenth of a second.
///
/// A halt of less than five minutes belongs to its trip, the default of ``TimelineRule/shortestStopSeconds``. Traffic
/// lights, queues and deliveries of up to three minutes are part of the drives.
public struct VehicleDay: Sendable {
    private static let drives = 6
    /// The stops between drives without the minutes at both ends of a drive, seconds. Some are too short, none near the
    /// limit.
    private static let stands = [40.0...60, 400...3600]
    private static let shortestStopSeconds = TimelineRule().shortestStopSeconds

    /// The receiver's fixes, oldest first.
    public private(set) var fixes: [Fix] = []
    /// The true trips: from the first movement to the last.
    public private(set) var trips: [Range<Timestamp>] = []
    private var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
    private var random: SplitMix64

    /// - Parameters:
    ///   - seed: The same seed gives the same day.
    ///   - seconds: The interval of the fixes, a multiple of 0.1.
    public init(seed: UInt64, everySeconds seconds: Double) {
        random = SplitMix64(seed: seed)
        var place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)
        let roads = SimulatedRoad.allCases
        for index in 0..<Self.drives {
            guard let start = place else { break }
            let drive = RoadDrive(
                on: roads[(Int(seed) + index) % roads.count], seed: seed * 100 + UInt64(index),
                seconds: Double.random(in: 400...1800, using: &random), from: start)
            let sights = drive.sights(everySeconds: seconds)
            addTrip(sights, everySeconds: seconds)
            for sight in sights {
                add(
                    sight.coordinate, at: time.advanced(bySeconds: sight.seconds), speed: sight.speedMetersPerSecond,
                    heading: sight.headingDegrees, of: drive)
            }
            time = time.advanced(bySeconds: Double(sights.count) * seconds)
            place = sights.last?.coordinate
            let range = Self.stands[Int.random(in: 0..<Self.stands.count, using: &random)]
            let stand = Double.random(in: range, using: &random)
            stay(seconds: stand, everySeconds: seconds, at: place ?? start, of: drive)
        }
    }

    private mutating func addTrip(_ sights: [RoadDrive.Sight], everySeconds seconds: Double) {
        let moving = sights.indices.dropFirst().filter { sights[$0].trueMeters > sights[$0 - 1].trueMeters }
        guard let first = moving.first, let last = moving.last else { return }
        let start = time.advanced(bySeconds: sights[first].seconds - seconds)
        let end = time.advanced(bySeconds: sights[last].seconds)
        if let before = trips.last, start.seconds(since: before.upperBound) < Self.shortestStopSeconds {
            trips[trips.count - 1] = before.lowerBound..<end
        } else {
            trips.append(start..<end)
        }
    }

    /// Adds a parked time, during which the position wanders for minutes.
    private mutating func stay(seconds: Double, everySeconds step: Double, at place: Coordinate, of drive: RoadDrive) {
        let plane = LocalPlane(origin: place)
        var error = LocalPoint.zero
        for _ in 0..<Int(seconds / step) {
            error = random.wandered(
                from: error, seconds: step, memorySeconds: 120, deviation: drive.accuracyMeters / 2.45)
            let speed = abs(0.1 * random.normal())
            let heading = Double.random(in: 0..<360, using: &random)
            add(plane.coordinate(of: error), at: time, speed: speed, heading: heading, of: drive)
            time = time.advanced(bySeconds: step)
        }
    }

    private mutating func add(
        _ coordinate: Coordinate, at time: Timestamp, speed: Double, heading: Double, of drive: RoadDrive
    ) {
        fixes.append(
            Fix(
                timestamp: time, received: ClockReading(replayed: time), coordinate: coordinate,
                accuracyMeters: drive.accuracyMeters, speedMetersPerSecond: speed, headingDegrees: heading))
    }
}
