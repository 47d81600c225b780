import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Holds the position of a stop and detects when the vehicle has left it.
///
/// After a halt in traffic the speed alone decides. After a longer stop the vehicle must also have left the noise
/// around the position: stationary receivers report false speeds and positions over the hours.
struct StopAnchor: Equatable, Sendable, Codable {
    /// The longest halt in traffic, seconds.
    private static let trafficHaltSeconds = 60.0
    /// The number of moving fixes that end a halt in traffic: a single one can be noise.
    private static let trafficHaltFixes = 2
    /// The Doppler speed from which a fix counts as moving, m/s; two standard errors are added.
    private static let movingMetersPerSecond = 0.5
    /// The number of consecutive fixes that must agree after a longer stop, and that number as seconds at 1 Hz; the
    /// fixes span one second less.
    private static let requiredFixes = 3
    private static let requiredSeconds = 3.0
    /// The distance beyond the noise at which a fix is far from the anchor, metres. In streets, multipath shifts a
    /// stationary receiver by some tens of metres.
    static let clearanceMeters = 30.0
    /// The distance beyond the noise up to which a speed of 0 overrules positions, metres: phones report 0 at a walk.
    private static let contradictionClearanceMeters = 40.0
    /// The time for which the fixes must be far, seconds.
    static let farConfirmationSeconds = 15.0

    private(set) var anchor: RobustCenter
    private var last: Fix
    /// The distance since the vehicle was last near the anchor; it counts if the vehicle has left.
    private(set) var pending = SegmentDistance()
    /// The evidence for a departure while the speeds indicate one.
    private var departureEvidence: DepartureEvidence?
    /// The sum of the position jumps since the positions were last near the anchor.
    private var jumpOffset = LocalPoint.zero
    private var farSince: Timestamp?
    private var farFixes = 0
    /// Whether a speed has indicated movement since the fixes are far.
    private var hasMovedFar = false

    init(at fix: Fix) {
        anchor = RobustCenter(at: fix)
        last = fix
    }

    /// Takes the next fix.
    /// - Parameter jump: the part of the step to it that no movement explains.
    /// - Returns: the distance from the anchor if the vehicle has left it; else nil.
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
        // A departure must not pull the anchor along.
        if !isDeparting, seen <= anchor.radiusMeters(for: fix) { anchor.add(fix) }
        return nil
    }

    private var isDeparting: Bool { departureEvidence?.since != nil }

    /// Moves the earlier positions with a jump, so that it does not count as movement.
    private mutating func shift(by hop: LocalPoint) {
        jumpOffset = jumpOffset + hop
        last.coordinate = LocalPlane(origin: last.coordinate).coordinate(of: hop)
        departureEvidence?.shift(by: hop)
    }

    /// Returns the distance from the anchor, with or without the jumps: the shorter. A fix near the anchor resets them.
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

    /// Whether the speed is above the noise of a stationary receiver.
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
        // Steps within the noise led out of it: count the straight line.
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

    /// Returns the distance of the departure: at least the line out of the noise, since speeds may be missing.
    private func departureSegment(distance: Double, _ fix: Fix) -> SegmentDistance {
        let noise = ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        var departure = pending
        departure.meters = max(pending.meters, distance - 2 * noise)
        departure.varianceSquareMeters += noise * noise
        return departure
    }
}
