import OdographModel

/// Positions that are missing, or that cannot be right.
extension Tracker {
    /// Whether the vehicle moves, or moved when last seen, and has no position: then the last one is not the present.
    public var isPositionLost: Bool { agent.positions.isLost }

    /// Whether the position is lost because all positions have dates that this machine's trusted clock contradicts.
    public var areDatesRejected: Bool { isPositionLost && agent.positions.areDatesRejected }

    /// The time for which positions must show an impossible place before that is a problem, seconds: a reflection is
    /// over by then.
    private static let implausibleSeconds = 10.0

    /// Whether the positions have jumped to a place that no movement leads to, and it is in doubt which are right.
    public var isPositionImplausible: Bool {
        let seconds = odometer.implausibleSeconds
        let isLong = seconds >= Self.implausibleSeconds || seconds > 0 && odometer.isJammed
        return !isSuspended && !isPrivate && isLong
    }

    /// Whether the receiver says that it is jammed, while its positions are in doubt.
    public var isReceiverJammed: Bool { odometer.isJammed }

    /// Whether the vehicle moves, as far as it is known; nil where its position is lost and its wheels say nothing.
    public var isMovingNow: Bool? {
        isPositionLost ? recent.vehicle?.areWheelsTurning : recent.motion.isMoving
    }

    /// Decides whether the position is lost, at the end of an input. Without positions to record none is missing.
    mutating func watchPosition(at moment: ClockReading) {
        guard !isSuspended, !isPrivate else { return agent.positions.notePosition(at: moment) }
        agent.positions.update(positionNeed, at: moment, now: agent.clock.time(of: moment))
    }

    private var positionNeed: PositionWatch.Need {
        // A source can give positions at long intervals.
        if recent.vehicle?.isUsed == true { return agent.provider.isPresent ? .later : .now }
        return recent.motion.isMoving || agent.positions.areDatesRejected ? .later : .none
    }
}
