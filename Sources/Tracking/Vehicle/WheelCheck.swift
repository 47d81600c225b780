import OdographModel

/// Decides whether the reported speed of the wheels is believed.
///
/// A control unit can send anything: 250 km/h at a standstill, the speed of another axle, or always 0. So a speed is
/// used only after it has agreed with the satellites on a drive, only if the vehicle can have reached it since the last
/// one, and only as long as the satellites do not contradict it.
struct WheelCheck: Equatable, Sendable, Codable {
    /// The largest change of speed, m/s²: full braking on a dry road is 10 to 12.
    private static let largestChangeMetersPerSecondSquared = 12.0
    /// The step of a report that is no acceleration, m/s: adapters round to 1 km/h and report late.
    private static let roundingMetersPerSecond = 2.0
    /// The speed above which an agreement is evidence, m/s: at rest a broken sensor agrees too.
    private static let drivingMetersPerSecond = 3.0
    /// The speed below which the wheels stand, m/s: some sensors report no slower movement, and some noise.
    static let standingMetersPerSecond = 0.3
    /// The consecutive fixes that agree before a speed is believed.
    private static let agreeingFixes = 5
    /// The consecutive fixes that contradict it before it is believed no longer.
    private static let contradictingFixes = 3
    /// The consecutive fixes that move while the wheels stand before the satellites contradict them.
    private static let contradictedFixes = 5
    /// The largest age of a reading that is compared with a fix, milliseconds.
    private static let largestAgeMilliseconds: Int64 = 1500

    /// Whether the speed of the wheels is believed.
    private(set) var isTrusted = false
    private var agreeing = 0
    private var contradicting = 0
    private var contradicted = 0
    private var last: SignalReading<Double>?

    init() {}

    /// Whether the satellites report a movement while the wheels stand: the vehicle is carried, or the satellites or
    /// the wheels are wrong.
    var isContradicted: Bool { contradicted >= Self.contradictedFixes }

    /// Takes a speed.
    /// - Returns: whether it is possible after the one before.
    mutating func accept(_ reading: SignalReading<Double>) -> Bool {
        if let last {
            let seconds = Double(reading.uptimeMilliseconds - last.uptimeMilliseconds) / 1000
            let limit = Self.largestChangeMetersPerSecondSquared * max(seconds, 0) + Self.roundingMetersPerSecond
            guard abs(reading.value - last.value) <= limit else {
                // The last possible speed stays, so that a wrong value does not become the reference.
                distrust()
                return false
            }
        }
        last = reading
        return true
    }

    /// Compares the newest speed with an accepted fix.
    mutating func compare(with fix: Fix) {
        guard let speed = fix.speedMetersPerSecond, let last,
            abs(fix.received.uptimeMilliseconds - last.uptimeMilliseconds) <= Self.largestAgeMilliseconds
        else {
            contradicted = 0
            return
        }
        let fastest = max(speed, last.value)
        // Tyres and instruments are off by some per cent. The fix can be a second older, at 3 m/s².
        let tolerance = Self.roundingMetersPerSecond + 0.15 * fastest + 3
        let areStanding = last.value < Self.standingMetersPerSecond
        contradicted = areStanding && speed >= Self.drivingMetersPerSecond ? contradicted + 1 : 0
        if areStanding, speed >= Self.drivingMetersPerSecond { return }
        guard abs(speed - last.value) <= tolerance else {
            agreeing = 0
            contradicting += 1
            if contradicting >= Self.contradictingFixes { distrust() }
            return
        }
        contradicting = 0
        guard min(speed, last.value) >= Self.drivingMetersPerSecond else { return }
        agreeing += 1
        if agreeing >= Self.agreeingFixes { isTrusted = true }
    }

    /// Forgets the last speed: after an interruption, the next one need not follow from it.
    mutating func interrupt() { (last, contradicted) = (nil, 0) }

    private mutating func distrust() { (isTrusted, agreeing, contradicting) = (false, 0, 0) }
}
