/// Decides whether the speeds of one sender can be true.
///
/// A defective or wrongly wired node can send any speed, for example 250 km/h at standstill. A speed is withheld
///
/// - until a sender has been consistent for a while, see ``confirmationMilliseconds``;
/// - after a change that no vehicle can make, until the speeds have been consistent again for as long;
/// - while the distance that follows from the speeds contradicts the vehicle's own distance counter.
struct WheelSpeedMonitor {
    /// The largest change of speed, m/s². Braking on dry asphalt reaches 10; 12 leaves room for slipping wheels.
    static let maximumAcceleration = 12.0
    /// The tolerance of a change, m/s: slip, and the resolution of OBD-II (1 km/h).
    static let speedTolerance = 1.5
    /// The age at which an earlier speed is replaced for the comparison, milliseconds. Without it, the tolerances of
    /// the frames would add up.
    static let anchorMilliseconds: Int64 = 1000
    /// The silence after which the former speed no longer limits the next one, milliseconds.
    static let silenceMilliseconds: Int64 = 2000
    /// The time for which a sender must be consistent, milliseconds. In this time a speed of 250 km/h at standstill
    /// contradicts a counter with a resolution of 125 m.
    static let confirmationMilliseconds: Int64 = 8000
    /// The time for a sender whose first speed is below ``slowSpeed``, milliseconds: two frames.
    static let slowConfirmationMilliseconds: Int64 = 100
    /// A speed that cannot do harm, m/s: walking speed.
    static let slowSpeed = 1.0
    /// The distance by which speeds and counter may differ in addition to the counter's resolution, metres.
    static let distanceToleranceMeters = 50.0
    /// The share by which speeds and counter may differ. Both are calibrated to tyres, within some percent.
    static let distanceToleranceShare = 0.2
    /// The distance after which a comparison ends and the next one begins, metres.
    static let comparedMeters = 2000.0
    /// The time without a contradiction after which a sender is believed again, milliseconds.
    static let forgivenessMilliseconds: Int64 = 60_000

    /// A reason for withholding a speed.
    enum Doubt: Hashable {
        /// The speed changed faster than a vehicle can.
        case jump
        /// The vehicle's distance counter shows another distance.
        case counter
    }

    /// The latest speed, m/s.
    private(set) var speed = 0.0
    /// The uptime of the latest speed, milliseconds.
    private(set) var uptimeMilliseconds: Int64
    /// The reason for withholding the speed, which is known to be false. Nil for a sender that is only too new.
    private(set) var doubt: Doubt?
    private var confirmedAt: Int64
    /// An earlier speed, m/s, and its uptime, milliseconds.
    private var anchor: (speed: Double, uptimeMilliseconds: Int64)
    private var lastContradiction: Int64 = .min
    /// The counter at the begin of the comparison, metres, and the distance by speed since then.
    private var comparison: (counterMeters: Double, uptimeMilliseconds: Int64, bySpeed: Double)?

    /// Begins with the first speed of a sender, m/s.
    init(speed: Double, uptimeMilliseconds: Int64) {
        self.speed = speed
        self.uptimeMilliseconds = uptimeMilliseconds
        anchor = (speed, uptimeMilliseconds)
        confirmedAt = uptimeMilliseconds + Self.firstConfirmation(of: speed)
    }

    private static func firstConfirmation(of speed: Double) -> Int64 {
        speed <= slowSpeed ? slowConfirmationMilliseconds : confirmationMilliseconds
    }

    /// Whether the latest speed can be used.
    var isTrusted: Bool { doubt == nil && uptimeMilliseconds >= confirmedAt }

    /// Returns whether the sender has sent no speed for too long.
    func isSilent(at uptime: Int64) -> Bool { uptime - uptimeMilliseconds > Self.silenceMilliseconds }

    /// Returns whether a vehicle can change its speed so much.
    /// - Parameters:
    ///   - speed: The earlier speed, m/s.
    ///   - new: The later speed, m/s.
    ///   - milliseconds: The time between them.
    static func canChange(from speed: Double, to new: Double, milliseconds: Int64) -> Bool {
        abs(new - speed) <= speedTolerance + maximumAcceleration * Double(max(milliseconds, 0)) / 1000
    }

    /// Handles the next speed, m/s.
    mutating func receive(speed new: Double, uptimeMilliseconds uptime: Int64) {
        let seconds = Double(max(uptime - uptimeMilliseconds, 0)) / 1000
        if isSilent(at: uptime) {
            comparison = nil
            anchor = (new, uptime)
            if doubt == nil { confirmedAt = uptime + Self.firstConfirmation(of: new) }
        } else {
            let isPossible =
                Self.canChange(from: speed, to: new, milliseconds: uptime - uptimeMilliseconds)
                && Self.canChange(from: anchor.speed, to: new, milliseconds: uptime - anchor.uptimeMilliseconds)
            if !isPossible {
                anchor = (new, uptime)
                if doubt != .counter { doubt = .jump }
                confirmedAt = uptime + Self.confirmationMilliseconds
            }
            comparison?.bySpeed += (speed + new) / 2 * seconds
        }
        if uptime - anchor.uptimeMilliseconds >= Self.anchorMilliseconds { anchor = (new, uptime) }
        speed = new
        uptimeMilliseconds = uptime
        if doubt == .counter, uptime - lastContradiction >= Self.forgivenessMilliseconds { doubt = .jump }
        if doubt == .jump, uptime >= confirmedAt { doubt = nil }
    }

    /// Handles the vehicle's distance counter.
    /// - Parameters:
    ///   - counterMeters: The counter, metres.
    ///   - resolutionMeters: Its step, metres.
    mutating func receive(counterMeters: Double, resolutionMeters: Double, uptimeMilliseconds uptime: Int64) {
        guard !isSilent(at: uptime), let current = comparison else {
            comparison = (counterMeters, uptime, 0)
            return
        }
        let byCounter = counterMeters - current.counterMeters
        let seconds = Double(uptime - current.uptimeMilliseconds) / 1000
        guard byCounter >= 0, byCounter <= CounterSelection.maximumSpeed * seconds + 2 * resolutionMeters else {
            // The counter is of another instrument, so the distances cannot be compared.
            comparison = (counterMeters, uptime, 0)
            return
        }
        let larger = max(byCounter, current.bySpeed)
        let tolerance =
            Self.distanceToleranceMeters + 2 * resolutionMeters + Self.distanceToleranceShare * larger
        if abs(byCounter - current.bySpeed) > tolerance {
            doubt = .counter
            lastContradiction = uptime
            comparison = (counterMeters, uptime, 0)
        } else if larger > Self.comparedMeters {
            comparison = (counterMeters, uptime, 0)
        }
    }
}
