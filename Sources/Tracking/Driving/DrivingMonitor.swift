import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Finds harsh acceleration, braking and cornering in the speeds and directions of one vehicle.
///
/// The acceleration along the road is the slope of the speed of the wheels; without it, of the speed over ground. The
/// acceleration across is the speed times the slope of the direction. Both are averages over about a second. A
/// manoeuvre in progress is lost if the agent is interrupted.
struct DrivingMonitor: Equatable, Sendable, Codable {
    /// Standard gravity, m/s².
    static let gravity = 9.80665
    /// The acceleration that no road vehicle exceeds, in units of standard gravity.
    private static let largestG = 1.3
    /// The speed that a manoeuvre along the road must begin or end with, m/s.
    private static let slowestMetersPerSecond = 3.0
    /// The speed from which the direction is believed, m/s: below, its error is many degrees.
    private static let slowestTurnMetersPerSecond = 4.0
    /// The accuracy up to which a fix is evidence, metres.
    private static let largestAccuracyMeters = 25.0
    /// The time for which the speed of the wheels takes the place of that over ground, seconds.
    private static let wheelSeconds = 3.0
    /// The difference between the distance of two positions and that of their speeds that is no contradiction, metres,
    /// and the share of the distance that is added to it.
    private static let largestContradictionMeters = 4.0
    private static let largestContradictionShare = 0.15

    /// The error of a slope per deviation of the values, 1/s.
    private static let slopeErrorPerResidual = 2.0

    private var speeds = SlopeWindow()
    private var directions = SlopeWindow()
    private var acceleration = ManoeuvreDetector()
    private var braking = ManoeuvreDetector()
    private var cornering = ManoeuvreDetector()
    /// The time of the last speed of the wheels; nil if there is none.
    private var wheelTime: Timestamp?
    private var lastFix: Fix?
    /// The start of the idling that lasts; nil for none.
    private var idlingSince: Timestamp?

    init() {}

    /// Whether the speed of the wheels takes the place of that over ground.
    var hasWheels: Bool { wheelTime != nil }

    // MARK: Inputs

    /// Takes a believed speed of the wheels.
    mutating func add(wheelMetersPerSecond speed: Double, at time: Timestamp, rule: DrivingRule) -> [DrivingEvent] {
        if wheelTime == nil { resetSpeeds() }
        wheelTime = time
        return add(speed, at: time, isSatellite: false, rule: rule)
    }

    /// Takes a believed fix.
    mutating func add(_ fix: Fix, rule: DrivingRule) -> [DrivingEvent] {
        defer { lastFix = fix }
        guard let speed = fix.speedMetersPerSecond, fix.accuracyMeters ?? 0 <= Self.largestAccuracyMeters else {
            resetFixes()
            return []
        }
        var events: [DrivingEvent] = []
        if let time = wheelTime, abs(fix.timestamp.seconds(since: time)) > Self.wheelSeconds {
            wheelTime = nil
            resetSpeeds()
        }
        let isConsistent = isConsistent(fix)
        if wheelTime == nil {
            if !isConsistent { resetSpeeds() }
            events += add(speed, at: fix.timestamp, isSatellite: true, rule: rule)
        }
        if !isConsistent { resetDirections() }
        return events + turn(to: fix, atMetersPerSecond: speed, rule: rule)
    }

    /// Forgets the movement: the next fix does not continue it.
    mutating func interrupt() {
        resetSpeeds()
        resetFixes()
        wheelTime = nil
        lastFix = nil
    }

    /// Notes whether the engine runs at a halt.
    /// - Returns: the idling that has ended, if it was long.
    mutating func observe(isIdling: Bool, at now: Timestamp, rule: DrivingRule) -> DrivingEvent? {
        guard !isIdling else {
            if idlingSince.map({ now < $0 }) ?? true { idlingSince = now }
            return nil
        }
        defer { idlingSince = nil }
        guard let idlingSince, let limit = rule.idlingSeconds else { return nil }
        let seconds = now.seconds(since: idlingSince)
        guard seconds >= limit else { return nil }
        return DrivingEvent(kind: .idling, durationSeconds: seconds, start: idlingSince)
    }

    // MARK: Along the road

    private mutating func add(
        _ speed: Double, at time: Timestamp, isSatellite: Bool, rule: DrivingRule
    ) -> [DrivingEvent] {
        let before = speeds.last?.value ?? speed
        guard let slope = speeds.add(speed, at: time) else { return [] }
        var accelerationG = slope.perSecond / Self.gravity
        guard abs(accelerationG) <= Self.largestG else {
            acceleration.reset()
            braking.reset()
            return []
        }
        if max(speed, before) < Self.slowestMetersPerSecond { accelerationG = 0 }
        if isSatellite { accelerationG = certain(accelerationG, slope.residual) }
        let more = acceleration.add(
            accelerationG, slope, thresholdG: rule.accelerationG, isSatellite: isSatellite)
        let less = braking.add(-accelerationG, slope, thresholdG: rule.brakingG, isSatellite: isSatellite)
        return [more.map { DrivingEvent(.acceleration, $0) }, less.map { DrivingEvent(.braking, $0) }]
            .compactMap(\.self)
    }

    /// Whether the distance from the last fix is that of the speeds.
    private func isConsistent(_ fix: Fix) -> Bool {
        guard let lastFix, let before = lastFix.speedMetersPerSecond, let speed = fix.speedMetersPerSecond else {
            return true
        }
        let meters = (before + speed) / 2 * max(fix.timestamp.seconds(since: lastFix.timestamp), 0)
        let difference = abs(lastFix.coordinate.distanceMeters(to: fix.coordinate) - meters)
        return difference <= Self.largestContradictionMeters + Self.largestContradictionShare * meters
    }

    // MARK: Across the road

    private mutating func turn(to fix: Fix, atMetersPerSecond speed: Double, rule: DrivingRule) -> [DrivingEvent] {
        guard let heading = fix.headingDegrees, speed >= Self.slowestTurnMetersPerSecond else {
            directions.reset()
            return finishCornering(rule)
        }
        // The directions are continuous: 359° and then 361°.
        let last = directions.last?.value
        let direction = last.map { $0 + headingDifferenceDegrees($0, heading) } ?? heading
        guard let slope = directions.add(direction, at: fix.timestamp) else { return finishCornering(rule) }
        let mean = (speed + (lastFix?.speedMetersPerSecond ?? speed)) / 2
        let acrossG = abs(slope.perSecond) * .pi / 180 * mean / Self.gravity
        guard acrossG <= Self.largestG else {
            cornering.reset()
            return []
        }
        let certainG = certain(acrossG, slope.residual * .pi / 180 * mean)
        let found = cornering.add(certainG, slope, thresholdG: rule.corneringG, isSatellite: true)
        return found.map { [DrivingEvent(.cornering, $0)] } ?? []
    }

    /// Returns an acceleration without the part that the error of the speeds explains: it is correlated over about a
    /// second, so the slope over a second can be wrong by about the deviation of the speeds.
    /// - Parameter residual: the deviation of the speeds from the regression, m/s.
    private func certain(_ accelerationG: Double, _ residual: Double) -> Double {
        let errorG = Self.slopeErrorPerResidual * residual / Self.gravity
        return accelerationG < 0 ? min(accelerationG + errorG, 0) : max(accelerationG - errorG, 0)
    }

    private mutating func finishCornering(_ rule: DrivingRule) -> [DrivingEvent] {
        cornering.finish(thresholdG: rule.corneringG, isSatellite: true).map { [DrivingEvent(.cornering, $0)] } ?? []
    }

    private mutating func resetSpeeds() {
        speeds.reset()
        acceleration.reset()
        braking.reset()
    }

    private mutating func resetDirections() {
        directions.reset()
        cornering.reset()
    }

    private mutating func resetFixes() {
        if wheelTime == nil { resetSpeeds() }
        resetDirections()
    }
}

extension DrivingEvent {
    fileprivate init(_ kind: Kind, _ manoeuvre: ManoeuvreDetector.Manoeuvre) {
        self.init(
            kind: kind, peakG: manoeuvre.peakG, durationSeconds: manoeuvre.end.seconds(since: manoeuvre.start),
            start: manoeuvre.start)
    }
}
