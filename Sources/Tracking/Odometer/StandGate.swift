import CivilTime
import Geodesy

/// Holds the place where a vehicle stands, and decides when it has left it.
///
/// A vehicle at a traffic light goes on when its speed says so. One that has stood for longer must have left the noise
/// around the place as well: receivers that stand for hours report speeds and places that nobody drove to.
struct StandGate: Hashable, Sendable, Codable {
    /// After this long a stand is no halt in traffic any more.
    private static let haltSeconds = 60.0
    /// So many fixes end a halt: one alone can be noise.
    private static let haltAgreement = 2
    /// A Doppler speed from which on something moves, m/s, beside three standard errors of it.
    private static let movingMetersPerSecond = 0.5
    /// So many fixes and seconds in a row must say the same.
    private static let agreement = 3
    private static let agreementSeconds = 3.0
    /// Without Doppler, and against it: how far out of the noise, metres. Multipath in streets shifts a standing
    /// receiver by some tens of metres.
    private static let clearanceMeters = 30.0
    /// A receiver that reports no movement is believed up to this distance beyond the noise, metres: phones report 0 at
    /// a walk.
    private static let contradictionMeters = 40.0
    /// For so long it must be far away.
    static let farSeconds = 15.0

    private(set) var anchor: RobustCenter
    private var last: Fix
    /// The way since it last stood near the anchor; it counts if the vehicle has left.
    private(set) var pending = Leg()
    private var movingFixes = 0
    private var movingSince: Timestamp?
    private var farSince: Timestamp?
    private var farFixes = 0
    /// Whether a speed has said since it was far that it moves.
    private var hasMovedFar = false

    init(at fix: Fix) {
        anchor = RobustCenter(at: fix)
        last = fix
    }

    /// - Returns: the way from the anchor, when this fix shows that the vehicle has left it.
    mutating func update(with fix: Fix, winding: Winding) -> Leg? {
        defer { last = fix }
        let distance = anchor.coordinate.distanceMeters(to: fix.coordinate)
        let isFar = distance > anchor.radiusMeters(for: fix) + Self.clearanceMeters
        let isStill = (fix.speedMetersPerSecond ?? 0) < Self.movingMetersPerSecond
        if isFar || !isStill { pending += Leg(from: last, to: fix, winding: winding) } else { pending = Leg() }
        noteSpeed(of: fix, isStill: isStill)
        noteDistance(distance, of: fix, isFar: isFar)
        if hasLeftBySpeed(fix, distance: distance) || hasLeftByDistance(fix, distance: distance) {
            return departure(distance: distance, fix)
        }
        // A way out must not pull the anchor along.
        if movingFixes == 0, distance <= anchor.radiusMeters(for: fix) { anchor.add(fix) }
        return nil
    }

    private mutating func noteSpeed(of fix: Fix, isStill: Bool) {
        guard let speed = fix.speedMetersPerSecond else { return }
        let accuracy = fix.accuracyMeters ?? FixNoise.assumedAccuracyMeters / 2
        if speed > Self.movingMetersPerSecond + 2 * FixNoise.dopplerMetersPerSecond(accuracyMeters: accuracy) {
            if movingFixes == 0 { movingSince = fix.timestamp }
            movingFixes += 1
        }
        if isStill {
            movingFixes = 0
            movingSince = nil
        }
    }

    private mutating func noteDistance(_ distance: Double, of fix: Fix, isFar: Bool) {
        guard isFar else {
            farFixes = 0
            farSince = nil
            hasMovedFar = false
            return
        }
        // What led out of the noise in steps within it is the line out of it.
        if farFixes == 0 { pending.meters = max(pending.meters, distance) }
        farFixes += 1
        farSince = farSince ?? fix.timestamp
        hasMovedFar = hasMovedFar || movingFixes > 0
    }

    private func hasLeftBySpeed(_ fix: Fix, distance: Double) -> Bool {
        guard movingFixes > 0, let movingSince else { return false }
        if movingSince.seconds(since: anchor.since) < Self.haltSeconds { return movingFixes >= Self.haltAgreement }
        let accuracy = fix.accuracyMeters ?? FixNoise.assumedAccuracyMeters
        return movingFixes >= Self.agreement && fix.timestamp.seconds(since: movingSince) >= Self.agreementSeconds - 1
            && distance > 5 + accuracy / 2
    }

    private func hasLeftByDistance(_ fix: Fix, distance: Double) -> Bool {
        guard farFixes >= 2, let farSince else { return false }
        if let speed = fix.speedMetersPerSecond, speed < Self.movingMetersPerSecond {
            guard distance > Self.contradictionMeters + anchor.radiusMeters(for: fix) else { return false }
        }
        return farFixes >= (hasMovedFar ? Self.agreement - 1 : Self.agreement)
            && fix.timestamp.seconds(since: farSince) >= Self.farSeconds
    }

    /// The speeds may have begun late, or be missing for a while: the way is no shorter than the line out of the noise.
    private func departure(distance: Double, _ fix: Fix) -> Leg {
        let noise = FixNoise.driftMeters(accuracyMeters: fix.accuracyMeters ?? FixNoise.assumedAccuracyMeters)
        var departure = pending
        departure.meters = max(pending.meters, distance - 2 * noise)
        departure.varianceSquareMeters += noise * noise
        return departure
    }
}
