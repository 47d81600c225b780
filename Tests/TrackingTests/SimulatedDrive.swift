import OdographHarness
import OdographCivilTime
import OdographGeodesy
import Glibc

@testable import OdographTracking
import OdographModel

/// A simulated drive with a known truth. Speeds and headings vary like a car's. The position error keeps its direction
/// for minutes, the speed error is random.
struct SimulatedDrive {
    private(set) var fixes: [Fix] = []
    private(set) var trueMeters = 0.0
    private var random: SplitMix64
    private var place: Coordinate
    private var heading = 0.0
    private var speed = 0.0
    private var time: Timestamp
    private var eastError = 0.0
    private var northError = 0.0

    /// The accuracy: 95 % radius, metres.
    var accuracyMeters = 4.0
    /// The standard deviation of the speed, m/s; nil for a receiver without speeds.
    var speedNoise: Double? = 0.1
    /// The time between fixes, seconds.
    var interval = 1.0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) ?? .gulf
        time = Timestamp(iso8601: "2026-11-21T09:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)
    }

    var now: Timestamp { time }
    var position: Coordinate { place }

    /// Stops for a while.
    mutating func stand(seconds: Double) {
        run(seconds: seconds) { drive in drive.speed = 0 }
    }

    /// Drives at a speed that varies about a mean, with some bends.
    mutating func drive(seconds: Double, mean: Double = 12) {
        run(seconds: seconds) { drive in
            drive.speed = max(drive.speed + 0.05 * (mean - drive.speed) + drive.random.normal() * 0.4, 0)
            drive.heading += drive.random.normal() * 1.5
            if Double.random(in: 0..<1, using: &drive.random) < 0.01 {
                drive.heading += Double.random(in: 0..<1, using: &drive.random) < 0.5 ? 60 : -60
            }
        }
    }

    /// Walks.
    mutating func walk(seconds: Double) {
        run(seconds: seconds) { drive in drive.speed = max(1.35 + drive.random.normal() * 0.1, 0) }
    }

    /// Turns to the opposite direction.
    mutating func turnRound() { heading += 180 }

    /// Advances the time without positions.
    mutating func silence(seconds: Double) {
        time = time.advanced(bySeconds: seconds)
    }

    /// Advances the truth in steps of a second, or of the interval if it is shorter. The receiver reports once an
    /// interval.
    private mutating func run(seconds: Double, step: (inout SimulatedDrive) -> Void) {
        let stride = min(interval, 1)
        var sinceFix = interval
        var elapsed = 0.0
        while elapsed < seconds {
            step(&self)
            if sinceFix >= interval - 1e-6 {
                report()
                sinceFix = 0
            }
            let way = speed * stride
            place = place.destination(headingDegrees: heading, distanceMeters: way)
            trueMeters += way
            time = time.advanced(bySeconds: stride)
            elapsed += stride
            sinceFix += stride
        }
    }

    private mutating func report() {
        // The correlation time of the error is two minutes. The 95 % radius is 2.45 standard deviations of an axis.
        let keep = exp(-interval / 120)
        let deviation = accuracyMeters / 2.45
        let fresh = deviation * (1 - keep * keep).squareRoot()
        eastError = eastError * keep + random.normal() * fresh
        northError = northError * keep + random.normal() * fresh
        let plane = LocalPlane(origin: place)
        let seen = plane.coordinate(of: LocalPoint(eastMeters: eastError, northMeters: northError))
        var reported: Double?
        if let speedNoise { reported = abs(speed + random.normal() * speedNoise) }
        fixes.append(
            Fix(
                timestamp: time, received: ClockReading(replayed: time), coordinate: seen,
                accuracyMeters: accuracyMeters,
                speedMetersPerSecond: reported,
                headingDegrees: speed > 1 ? (heading + 3600).truncatingRemainder(dividingBy: 360) : nil))
    }
}

extension Tracker {
    /// Creates a tracker of a receiver that is mounted in a vehicle; nil for any mode.
    init(aboard vehicle: TransportMode?) {
        var configuration = TrackingConfiguration()
        configuration.timeline.vehicle = vehicle
        self.init(configuration: configuration)
    }

    /// Handles fixes and returns the revisions of the timeline.
    mutating func timeline(from fixes: [Fix]) -> [TimelineEvent] {
        fixes.flatMap { handle(.fix($0)) }.compactMap(\.event)
    }
}

extension [Fix] {
    /// Returns the revisions of the timeline of a new tracker.
    func timeline() -> [TimelineEvent] {
        var tracker = Tracker()
        return tracker.timeline(from: self)
    }
}

extension [TimelineEvent] {
    /// The last revision of every event that was not withdrawn, by time.
    var latest: [TimelineEvent] {
        var order: [TimelineEventID] = []
        var last: [TimelineEventID: TimelineEvent] = [:]
        for event in self {
            if last[event.id] == nil { order.append(event.id) }
            last[event.id] = event
        }
        return order.compactMap { last[$0] }.filter { !$0.isWithdrawn }.inTime
    }
}
