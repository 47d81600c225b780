import CivilTime
import Geodesy

/// Holds the place where a vehicle stands, and decides when it has left it.
///
/// A vehicle at a traffic light goes on when its speed says so. One that has stood for longer must have left the noise
/// around the place as well: receivers that stand for hours report speeds and places that nobody drove to.
struct StopAnchor: Equatable, Sendable, Codable {
    /// After this long a stand is no halt in traffic any more.
    private static let trafficHaltSeconds = 60.0
    /// So many fixes end a halt: one alone can be noise.
    private static let trafficHaltFixes = 2
    /// A Doppler speed from which on something moves, m/s, beside two standard errors of it.
    private static let movingMetersPerSecond = 0.5
    /// So many fixes and seconds in a row must say the same.
    private static let requiredFixes = 3
    private static let requiredSeconds = 3.0
    /// Without Doppler, and against it: how far out of the noise, metres. Multipath in streets shifts a standing
    /// receiver by some tens of metres.
    static let clearanceMeters = 30.0
    /// A receiver that reports no movement is believed up to this distance beyond the noise, metres: phones report 0 at
    /// a walk.
    private static let contradictionClearanceMeters = 40.0
    /// For so long it must be far away.
    static let farConfirmationSeconds = 15.0

    private(set) var anchor: RobustCenter
    private var last: Fix
    /// The way since it last stood near the anchor; it counts if the vehicle has left.
    private(set) var pending = SegmentDistance()
    /// What may be a way, while the speeds say so.
    private var departureEvidence: DepartureEvidence?
    /// How far the positions have hopped from the place since they were last about it.
    private var jumpOffset = LocalPoint.zero
    private var farSince: Timestamp?
    private var farFixes = 0
    /// Whether a speed has said since it was far that it moves.
    private var hasMovedFar = false

    init(at fix: Fix) {
        anchor = RobustCenter(at: fix)
        last = fix
    }

    /// - Returns: the way from the anchor, when this fix shows that the vehicle has left it.
    /// - Parameter hop: the part of the step to it that no movement explains.
    mutating func update(with fix: Fix, jump: LocalPoint?, tortuosity: Tortuosity) -> SegmentDistance? {
        defer { last = fix }
        if let jump { shift(by: jump) }
        let seen = anchor.coordinate.distanceMeters(to: fix.coordinate)
        let distance = distanceMeters(of: fix, seen: seen)
        let isFar = distance > anchor.radiusMeters(for: fix) + Self.clearanceMeters
        let isStill = (fix.speedMetersPerSecond ?? 0) < Self.movingMetersPerSecond
        let leg = isFar || !isStill ? SegmentDistance(from: last, to: fix, tortuosity: tortuosity) : nil
        if let leg { pending += leg } else { pending = SegmentDistance() }
        noteSpeed(of: fix, isStill: isStill, segmentMeters: leg?.meters ?? 0)
        noteDistance(distance, of: fix, isFar: isFar)
        if hasLeftBySpeed(fix, distance: distance) || hasLeftByDistance(fix, distance: distance) {
            return departureSegment(distance: distance, fix)
        }
        // A way out must not pull the anchor along.
        if !isDeparting, seen <= anchor.radiusMeters(for: fix) { anchor.add(fix) }
        return nil
    }

    private var isDeparting: Bool { departureEvidence?.since != nil }

    /// A hop is no way: what went before it moves along.
    private mutating func shift(by hop: LocalPoint) {
        jumpOffset = jumpOffset + hop
        last.coordinate = LocalPlane(origin: last.coordinate).coordinate(of: hop)
        departureEvidence?.shift(by: hop)
    }

    /// How far a fix is from the place at least, with the hops or without; what is about the place again has hopped back.
    private mutating func distanceMeters(of fix: Fix, seen: Double) -> Double {
        if seen <= anchor.radiusMeters(for: fix) { jumpOffset = .zero }
        guard seen <= anchor.radiusMeters(for: fix) + ReceiverErrorModel.maximumMultipathJumpMeters else { return seen }
        return min(
            seen,
            LocalPlane(origin: anchor.coordinate).eastNorthMeters(of: fix.coordinate).distanceMeters(to: jumpOffset))
    }

    private mutating func noteSpeed(of fix: Fix, isStill: Bool, segmentMeters: Double) {
        guard fix.speedMetersPerSecond != nil else { return }
        guard !isStill else {
            departureEvidence = nil
            return
        }
        var stretch = departureEvidence ?? DepartureEvidence(from: last.coordinate)
        stretch.add(fix, segmentMeters: segmentMeters, isMoving: isMoving(fix))
        departureEvidence = stretch
    }

    /// Whether the speed is none that something at rest is told to have by noise.
    private func isMoving(_ fix: Fix) -> Bool {
        guard let speed = fix.speedMetersPerSecond else { return false }
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters)
        return speed > Self.movingMetersPerSecond + 2 * noise
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
        hasMovedFar = hasMovedFar || isDeparting
    }

    private func hasLeftBySpeed(_ fix: Fix, distance: Double) -> Bool {
        guard let departureEvidence, let since = departureEvidence.since else { return false }
        if since.seconds(since: anchor.since) < Self.trafficHaltSeconds {
            return departureEvidence.fixCount >= Self.trafficHaltFixes
        }
        return departureEvidence.fixCount >= Self.requiredFixes
            && fix.timestamp.seconds(since: since) >= Self.requiredSeconds - 1
            && distance > 5 + fix.assumedAccuracyMeters / 2 && departureEvidence.isDeparture(to: fix)
    }

    private func hasLeftByDistance(_ fix: Fix, distance: Double) -> Bool {
        guard let farSince else { return false }
        if fix.speedMetersPerSecond != nil, !isMoving(fix) {
            guard distance > Self.contradictionClearanceMeters + anchor.radiusMeters(for: fix) else { return false }
        }
        return farFixes >= (hasMovedFar ? Self.requiredFixes - 1 : Self.requiredFixes)
            && fix.timestamp.seconds(since: farSince) >= Self.farConfirmationSeconds
    }

    /// The speeds may have begun late, or be missing for a while: the way is no shorter than the line out of the noise.
    private func departureSegment(distance: Double, _ fix: Fix) -> SegmentDistance {
        let noise = ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        var departure = pending
        departure.meters = max(pending.meters, distance - 2 * noise)
        departure.varianceSquareMeters += noise * noise
        return departure
    }
}
