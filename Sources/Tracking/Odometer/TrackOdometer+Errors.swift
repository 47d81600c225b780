/// The error of the count.
extension TrackOdometer {
    /// Half the width of the 95 % interval of the true distance, metres.
    var errorMeters: Double {
        let shared = [scaleMeters, detourMeters, speeds.errorMeters].reduce(0) { $0 + $1 * $1 }
        return SegmentDistance.boundInStandardErrors * (varianceSquareMeters + shared).squareRoot()
            + (stopAnchor?.undecidedMeters ?? 0) + unresolvedMeters
    }

    /// The distance by which the total may be wrong while speeds and positions disagree, metres.
    private var unresolvedMeters: Double {
        let (over, under) = speeds.undecidedMeters
        let surplus = totalMeters - estimateMeters
        return max(surplus + over, under - surplus, 0)
    }

    /// The standard errors by cause, metres: random, common to all segments, and from road detours. An undecided
    /// distance at a stop counts as random.
    var standardErrors: (randomMeters: Double, scaleMeters: Double, detourMeters: Double) {
        let pending = ((stopAnchor?.undecidedMeters ?? 0) + unresolvedMeters) / SegmentDistance.boundInStandardErrors
        let (scale, speedScale) = (scaleMeters, speeds.errorMeters)
        return (
            (varianceSquareMeters + pending * pending).squareRoot(),
            (scale * scale + speedScale * speedScale).squareRoot(), detourMeters
        )
    }
}
