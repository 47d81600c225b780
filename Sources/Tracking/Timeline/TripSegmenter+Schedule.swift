import CivilTime

/// The schedule's openings and closings.
extension TripSegmenter {
    /// Off schedule and still tracked, or back on schedule: what lasts ends here with its own revision and goes on as
    /// another event, so that none is half the one and half the other.
    /// - Parameter change: what makes the next event another one.
    mutating func splitOpenEvent(
        at now: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch,
        change: (inout TripSegmenter) -> Void
    ) {
        withdrawTentativeDeparture(into: &log)
        skipPublishedInterval(at: now, rules: rules, into: &log)
        guard let event = open else { return change(&self) }
        let begin = max(now, event.start)
        finalizeOpenEvent(at: begin, meters: lastMeters, rules: rules, into: &log)
        polyline = WaypointPolyline()
        change(&self)
        self.openAndEmitEvent(event.phase, at: begin, meters: lastMeters, into: &log)
        open?.mode = event.mode
    }

    /// Tracking is on again after a time of which nothing is told.
    /// - Parameter change: what makes the next event another one.
    mutating func resumeTracking(
        at now: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch,
        change: (inout TripSegmenter) -> Void
    ) {
        lastGapReason = nil
        skipPublishedInterval(at: now, rules: rules, into: &log)
        guard let event = open else {
            forgetPositions()
            return change(&self)
        }
        let begin = max(now, event.start)
        finalizeOpenEvent(at: begin, meters: lastMeters, rules: rules, into: &log)
        forgetPositions()
        change(&self)
        self.openAndEmitEvent(.unknown, at: begin, meters: lastMeters, into: &log)
    }

    /// Forgets where the vehicle was, and nothing else.
    mutating func forgetPositions() {
        if open?.isTentative == true {
            open?.clearTentative()
            open?.phase = .stationary
        }
        endedEvent?.stopCenter = nil
        endedEvent?.polyline = WaypointPolyline()
        clearStopAndWaypoints()
        lastFix = nil
        departedFrom = nil
    }
}
