import OdographCivilTime
import OdographGeodesy
import Glibc
import Measuring
import OdographModel
import OdographTracking

/// Days of a vehicle on simulated roads from stop to stop, with the truth to the tenth of a second.
///
/// A halt of less than five minutes belongs to its trip, the default of ``TimelineRule/shortestStopSeconds``. Traffic
/// lights, queues and deliveries of up to three minutes are part of the drives.
struct VehicleDays {
    private static let days = 12 as UInt64
    private static let drivesADay = 6
    /// The stops between drives without the minutes at both ends of a drive, seconds. Some are too short, none near the
    /// limit.
    private static let stands = [40.0...60, 400...3600]
    private static let shortestStopSeconds = TimelineRule().shortestStopSeconds

    /// One day at one rate of fixes.
    private struct Day {
        var fixes: [Fix] = []
        var trips: [Span] = []
    }

    func report() {
        for seconds in [1.0, 10] {
            report(everySeconds: seconds, aboard: nil)
            report(everySeconds: seconds, aboard: .car)
        }
    }

    private func report(everySeconds seconds: Double, aboard vehicle: TransportMode?) {
        var boundaries = TripBoundaries()
        for seed in 1...Self.days {
            let day = day(seed: seed, everySeconds: seconds)
            boundaries.add(Outcome(Capture(fixes: day.fixes), aboard: vehicle), trips: day.trips)
        }
        let name = vehicle == nil ? "vehicle days" : "vehicle days, mounted"
        boundaries.report("\(name), a fix in \(text(seconds, 0)) s")
    }

    private func day(seed: UInt64, everySeconds seconds: Double) -> Day {
        var random = SplitMix64(seed: seed)
        var day = Day()
        var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        var place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)
        let roads = SimulatedRoad.allCases
        for index in 0..<Self.drivesADay {
            guard let start = place else { break }
            let drive = RoadDrive(
                on: roads[(Int(seed) + index) % roads.count], seed: seed * 100 + UInt64(index),
                seconds: Double.random(in: 400...1800, using: &random), from: start)
            let sights = drive.sights(everySeconds: seconds)
            let moving = sights.indices.dropFirst().filter { sights[$0].trueMeters > sights[$0 - 1].trueMeters }
            if let first = moving.first, let last = moving.last {
                let span = Span(
                    start: time.advanced(bySeconds: sights[first].seconds - seconds),
                    end: time.advanced(bySeconds: sights[last].seconds))
                if let before = day.trips.last, span.start.seconds(since: before.end) < Self.shortestStopSeconds {
                    day.trips[day.trips.count - 1].end = span.end
                } else {
                    day.trips.append(span)
                }
            }
            day.fixes += sights.map {
                fix(
                    $0.coordinate, at: time.advanced(bySeconds: $0.seconds), speed: $0.speedMetersPerSecond,
                    heading: $0.headingDegrees, of: drive)
            }
            time = time.advanced(bySeconds: Double(sights.count) * seconds)
            place = sights.last?.coordinate
            let range = Self.stands[Int.random(in: 0..<Self.stands.count, using: &random)]
            let stand = Double.random(in: range, using: &random)
            stay(seconds: stand, everySeconds: seconds, at: place ?? start, of: drive, &day, &time, &random)
        }
        return day
    }

    /// Adds a parked time, during which the position wanders for minutes.
    private func stay(
        seconds: Double, everySeconds step: Double, at place: Coordinate, of drive: RoadDrive, _ day: inout Day,
        _ time: inout Timestamp, _ random: inout SplitMix64
    ) {
        let plane = LocalPlane(origin: place)
        var error = LocalPoint.zero
        for _ in 0..<Int(seconds / step) {
            error = random.wandered(
                from: error, seconds: step, memorySeconds: 120, deviation: drive.accuracyMeters / 2.45)
            day.fixes.append(
                fix(
                    plane.coordinate(of: error), at: time, speed: abs(0.1 * random.normal()),
                    heading: Double.random(in: 0..<360, using: &random), of: drive))
            time = time.advanced(bySeconds: step)
        }
    }

    private func fix(
        _ coordinate: Coordinate, at time: Timestamp, speed: Double, heading: Double, of drive: RoadDrive
    ) -> Fix {
        Fix(
            timestamp: time, received: ClockReading(replayed: time), coordinate: coordinate,
            accuracyMeters: drive.accuracyMeters, speedMetersPerSecond: speed, headingDegrees: heading)
    }
}
