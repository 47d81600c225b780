import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// A tracker that gets any bytes as fixes, interruptions and restarts. Four bytes are one step.
///
/// The steps contain what no vehicle does, because receivers report that too. ``problems`` then lists what breaks a
/// rule of the timeline or of the odometer.
public struct StepSequence {
    /// The times between two fixes, seconds: rates of receivers, then gaps around the limits of the rules.
    private static let intervals = [0.1, 1, 1, 1, 2, 5, 10, 15, 30, 60, 120, 180, 301, 900, 3600, 86_400]
    /// The units of a movement, metres: noise of a parked receiver, walks, drives, outliers.
    private static let units = [0.0, 0.01, 0.05, 0.2, 1, 10, 100, 10_000]
    /// The speed that the filter allows, with a tenth for winding roads, m/s.
    private static let fastestMetersPerSecond = 82.5
    /// The noise that a drive may contain, metres.
    private static let noiseMeters = 1000.0

    private var tracker = Tracker()
    private var seconds = 0.0
    private var time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
    private var place = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37)
    private var events: [TimelineEventID: TimelineEvent] = [:]
    private var odometerMeters = 0.0

    /// The broken rules, a line each.
    public private(set) var problems: [String] = []

    /// Runs all steps and ends the recording.
    public init(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        for index in stride(from: 0, to: bytes.count - 3, by: 4) {
            step(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3])
        }
        take(tracker.finish(at: ClockReading(replayed: time)))
        problems += TimelineInvariants.violations(in: Array(events.values), odometerMeters: tracker.odometerMeters)
            .map(\.description)
    }

    /// - Parameters:
    ///   - timing: the interval, and in the upper bits the unit of movement.
    ///   - kind: what is reported, in bits; a few values are no fix.
    private mutating func step(_ timing: UInt8, _ east: UInt8, _ north: UInt8, _ kind: UInt8) {
        let interval = Self.intervals[Int(timing & 15)]
        seconds += interval
        time = time.advanced(bySeconds: interval)
        let moment = ClockReading(replayed: time)
        switch kind {
        case 255: return take(tracker.handle(.source(.lost, at: moment)))
        case 254: return take(tracker.handle(.source(.available, at: moment)))
        case 253: return take(tracker.handle(.started(at: moment)))
        case 252: return take(tracker.handle(.tick(moment)))
        default: break
        }
        let unit = Self.units[Int(timing >> 4 & 7)]
        let move = LocalPoint(eastMeters: unit * (Double(east) - 128), northMeters: unit * (Double(north) - 128))
        guard let origin = place else { return }
        let coordinate = LocalPlane(origin: origin).coordinate(of: move)
        place = coordinate
        let meters = (move.eastMeters * move.eastMeters + move.northMeters * move.northMeters).squareRoot()
        let speeds = [nil, 0, meters / interval, Double(kind) / 4]
        let accuracies = [nil, 3, 20, 500.0]
        let fix = Fix(
            timestamp: time, received: moment, coordinate: coordinate, accuracyMeters: accuracies[Int(kind >> 2 & 3)],
            speedMetersPerSecond: speeds[Int(kind & 3)],
            headingDegrees: kind & 16 == 0 ? nil : Double(east) * 360 / 256)
        take(tracker.handle(.fix(fix)))
    }

    private mutating func take(_ outputs: [TrackerOutput]) {
        for case .record(.timeline(let event)) in outputs { events[event.id] = event.value }
        // A comparison with a NaN is false.
        if !(tracker.odometerMeters >= odometerMeters) {
            problems.append("the odometer decreased from \(odometerMeters) to \(tracker.odometerMeters) m")
        }
        if !(tracker.odometerErrorMeters >= 0) {
            problems.append("the odometer's error is \(tracker.odometerErrorMeters) m")
        }
        if !(tracker.odometerMeters <= Self.fastestMetersPerSecond * seconds + Self.noiseMeters) {
            problems.append("\(tracker.odometerMeters) m within \(seconds) s")
        }
        odometerMeters = tracker.odometerMeters
    }
}
