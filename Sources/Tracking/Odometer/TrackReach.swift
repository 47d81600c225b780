import OdographCivilTime
import OdographGeodesy
import OdographModel

/// How far a vehicle can have come since the last fixes of a track, by its speed and by what engines and brakes allow.
///
/// From a speed v to a speed w in a time t, with at most an acceleration a in between, a vehicle comes at most
/// (v + w) / 2 · t + a · t² / 4 − (w − v)² / 4a far: it accelerates first and brakes then.
struct TrackReach: Equatable, Sendable, Codable {
    /// The acceleration of ordinary driving, m/s²: brisk starts of cars are about 3.
    static let usualAcceleration = 3.0
    /// The same of a hurried driver, m/s²: the harmonic mean of full acceleration (3.3, a family car) and firm braking
    /// (7).
    private static let largestAcceleration = 4.5
    /// The longest interval at whose ends reported speeds limit the distance, seconds: over longer ones a vehicle stops
    /// and starts between them.
    static let speedSeconds = 15.0
    /// The largest ordinary change of a report's delay, seconds.
    static let latestSeconds = 2.0
    /// The speed of a motorway, m/s (130 km/h).
    private static let motorwayMetersPerSecond = 36.0
    /// The time over which positions give a speed, seconds: their noise is then small.
    private static let paceSeconds = 5.0

    /// The first fix of the stretch that gives the next speed, and the newest fix.
    private var start: Fix?
    private(set) var newest: Fix?
    /// The speed by the positions, m/s; nil if it is not known yet.
    private var pace: Double?
    /// The time of the first fix.
    private var since: Timestamp?
    /// The first report of the newest position: a receiver that is frozen repeats it.
    private(set) var hold: Fix?

    /// Takes the next fix of the track.
    mutating func update(with fix: Fix) {
        since = since ?? fix.timestamp
        newest = fix
        if hold.map({ !fix.coordinate.repeats($0.coordinate) }) ?? true { hold = fix }
        guard let start else {
            self.start = fix
            return
        }
        let seconds = fix.timestamp.seconds(since: start.timestamp)
        guard seconds >= Self.paceSeconds else { return }
        pace = min(start.coordinate.distanceMeters(to: fix.coordinate) / seconds, MovementBounds.fastestMetersPerSecond)
        self.start = fix
    }

    /// The time for which the track lasts, seconds.
    var ageSeconds: Double {
        guard let since, let newest else { return 0 }
        return newest.timestamp.seconds(since: since)
    }

    /// The time for which the positions show that the receiver works, seconds: until the newest position was first
    /// reported. A position that repeats to the last digit is no evidence about the vehicle.
    var provenSeconds: Double {
        guard let since, let hold else { return 0 }
        return hold.timestamp.seconds(since: since)
    }

    /// The speed at the newest fix, m/s: the larger one of the reported speed and that of the positions; 0 if unknown.
    var metersPerSecond: Double { knownSpeed ?? 0 }

    /// The same; nil if unknown.
    var knownSpeed: Double? {
        guard let reported = newest?.speedMetersPerSecond else { return pace }
        return max(reported, pace ?? 0)
    }

    /// Whether ordinary movement or multipath explains the step to the next fix.
    /// - Parameter mayAccelerate: whether the speed may grow all the way, if the fix reports none. After a single fix
    ///   without a speed nothing limits it but what vehicles can.
    func explains(_ fix: Fix, mayAccelerate: Bool = false) -> Bool {
        guard let newest else { return true }
        let line = newest.coordinate.distanceMeters(to: fix.coordinate)
        // A receiver that says that it is jammed needs no movement to show another place, however much time there was.
        if fix.isJammed, isBeyondReach(fix, atMost: fix.speedMetersPerSecond ?? 0) { return false }
        // The anchor of a stop and the jump detector handle what multipath does.
        if line <= ReceiverErrorModel.maximumMultipathJumpMeters { return true }
        let seconds = fix.timestamp.seconds(since: newest.timestamp)
        if mayAccelerate, knownSpeed == nil {
            return line <= MovementBounds.fastestMetersPerSecond * seconds + noise(of: fix)
        }
        let gain = mayAccelerate ? Self.usualAcceleration * seconds : 0
        let end = fix.speedMetersPerSecond.map { max($0, pace ?? 0) } ?? metersPerSecond + gain
        return line <= meters(to: fix, from: metersPerSecond, to: end, acceleration: Self.usualAcceleration)
            && line <= reportedMeters(to: fix)
    }

    /// Whether hurried driving explains the step to a fix with a speed there.
    func canReach(_ fix: Fix, at speed: Double) -> Bool {
        guard let newest else { return true }
        return newest.coordinate.distanceMeters(to: fix.coordinate)
            <= meters(to: fix, from: knownSpeed ?? speed, to: speed, acceleration: Self.largestAcceleration)
    }

    /// Whether a place is where the vehicle can be if it went on about as before, or stopped.
    /// - Parameter speed: a speed that the vehicle may have had meanwhile, m/s.
    func leads(to fix: Fix, atMost speed: Double) -> Bool {
        guard let newest else { return true }
        let seconds = fix.timestamp.seconds(since: newest.timestamp)
        return newest.coordinate.distanceMeters(to: fix.coordinate)
            <= missingMeters(overSeconds: seconds, atMost: speed) + noise(of: fix)
    }

    /// Whether no movement leads to a place: it is farther than the vehicle can have come since its place was known.
    /// - Parameter speed: a speed that the vehicle may have had meanwhile, m/s.
    func isBeyondReach(_ fix: Fix, atMost speed: Double) -> Bool {
        guard let newest else { return false }
        // A receiver that repeats the position of a moving vehicle is frozen: the vehicle went on.
        let isFrozen = (hold?.speedMetersPerSecond ?? 0) >= VehicleMonitor.slowestFixMetersPerSecond
        let known = isFrozen ? hold ?? newest : newest
        let seconds = max(fix.timestamp.seconds(since: known.timestamp), fix.received.seconds(since: known.received))
        return known.coordinate.distanceMeters(to: fix.coordinate)
            > missingMeters(overSeconds: seconds, atMost: speed) + noise(of: fix)
    }

    /// Returns how much of the distance that is likely at most a step to a fix needs, 1 for all of it.
    func detourShare(to fix: Fix) -> Double {
        guard let newest else { return 0 }
        let seconds = fix.timestamp.seconds(since: newest.timestamp)
        return newest.coordinate.distanceMeters(to: fix.coordinate)
            / (missingMeters(overSeconds: seconds) + noise(of: fix))
    }

    /// Returns the distance by the speeds at both ends of the step to a fix; nil if they do not measure it.
    func reckonedMeters(to fix: Fix) -> Double? {
        guard let newest, let from = newest.speedMetersPerSecond, let to = fix.speedMetersPerSecond else { return nil }
        // A receiver's clock that was set back hides time that the monotonic clock counted.
        let dated = fix.timestamp.seconds(since: newest.timestamp)
        let passed = fix.received.seconds(since: newest.received)
        let seconds = passed > dated + Self.latestSeconds ? passed : dated
        guard seconds <= Self.speedSeconds else { return nil }
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.assumedAccuracyMeters)
        return abs(to - from) <= Self.usualAcceleration * seconds + 4 * noise ? (from + to) / 2 * seconds : nil
    }

    /// The longest step by the reported speeds, metres; infinite if they do not limit it.
    private func reportedMeters(to fix: Fix) -> Double {
        guard let newest, let from = newest.speedMetersPerSecond, let to = fix.speedMetersPerSecond else {
            return .infinity
        }
        let seconds = fix.timestamp.seconds(since: newest.timestamp)
        guard seconds <= Self.speedSeconds else { return .infinity }
        let hold = min(from, to) == 0 ? ReceiverErrorModel.staticHoldMetersPerSecond : 0
        let mean = max((from + to) / 2, hold, pace ?? 0)
        return mean * seconds + 4 * ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds) + noise(of: fix)
    }

    private func noise(of fix: Fix) -> Double {
        (newest ?? fix).assumedAccuracyMeters + fix.assumedAccuracyMeters
    }

    private func meters(to fix: Fix, from start: Double, to end: Double, acceleration: Double) -> Double {
        guard let newest else { return .infinity }
        let seconds = max(fix.timestamp.seconds(since: newest.timestamp), 0)
        let driven =
            (start + end) / 2 * seconds + acceleration * seconds * seconds / 4
            - (end - start) * (end - start) / (4 * acceleration)
        return min(driven, MovementBounds.fastestMetersPerSecond * seconds) + noise(of: fix)
    }

    /// Returns the distance that the vehicle has driven within a time with a probability of 95 % at most, metres.
    /// - Parameter speed: a speed that the vehicle may have had meanwhile, m/s.
    func missingMeters(overSeconds seconds: Double, atMost speed: Double = 0) -> Double {
        guard seconds > 0 else { return 0 }
        // Two standard deviations of a random walk of 1 m/s in each second, up to the speed of motorways.
        let known = max(metersPerSecond, speed)
        return min(known + 2 * seconds.squareRoot(), max(known, Self.motorwayMetersPerSecond)) * seconds
    }
}
