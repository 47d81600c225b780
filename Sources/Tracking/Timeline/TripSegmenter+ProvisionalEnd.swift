import CivilTime
import Geodesy

/// Events that end before it is certain that they have.
extension TripSegmenter {
    /// The stay that the way which lasts seems to have left, and nobody can be sure of it; nil where there is no doubt.
    var tentativelyLeftStop: RobustCenter? { open?.isTentative == true ? endedEvent?.stopCenter : nil }

    /// Ends the open event unless what comes next turns out to be none: until that is certain it stays provisional.
    mutating func endProvisionally(
        at end: Timestamp, meters: Double, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        finalizeEndedEvent(rules: rules, into: &log)
        guard let event = makeRevision(at: log.now, meters: meters, until: end, rules: rules) else { return }
        log.events.append(event)
        setAsideOpenEvent(at: end, meters: meters)
    }

    /// What has ended has ended for good.
    mutating func finalizeEndedEvent(rules: SegmentationRules, into log: inout RevisionBatch) {
        guard let was = endedEvent else { return }
        endedEvent = nil
        let lasting = (open: open, stay: stopCenter, line: polyline)
        (open, stopCenter, polyline) = (was.event, was.stopCenter, was.polyline)
        finalizeOpenEvent(at: was.end, meters: was.endMeters, rules: rules, into: &log)
        (open, stopCenter, polyline) = lasting
    }

    /// What has ended has ended for good as soon as what comes next cannot turn out to be none any more.
    mutating func finalizeEndedEventIfCertain(rules: SegmentationRules, into log: inout RevisionBatch) {
        guard endedEvent != nil, let event = open, let lastTime else { return }
        // It may have ended before it was long enough, and be found to have done so later.
        let isYoung = lastTime.seconds(since: event.start) < rules.longestProvisionalSeconds
        switch event.phase {
        case .stationary where isYoung: return
        case .transport where event.isTentative || isYoung && event.mode?.isOnWheels != true: return
        case .stationary, .transport, .unknown, .offTheGrid: finalizeEndedEventAndEmitOpen(rules: rules, into: &log)
        }
    }

    /// When what has ended has done so for good by the silence since.
    func finalizationDue(rules: SegmentationRules) -> Timestamp? {
        guard endedEvent != nil, let event = open, event.phase == .stationary, let lastTime else { return nil }
        return max(
            event.start.advanced(bySeconds: rules.longestProvisionalSeconds),
            lastTime.advanced(bySeconds: rules.timeline.gapSeconds))
    }

    /// What has ended has ended for good, and the event that lasts is told again: who joins later hears the newest revision
    /// alone.
    mutating func finalizeEndedEventAndEmitOpen(rules: SegmentationRules, into log: inout RevisionBatch) {
        finalizeEndedEvent(rules: rules, into: &log)
        emitRevision(into: &log)
    }

    /// The open event was none: what it seemed to have ended goes on, and is to be told of next.
    mutating func withdrawOpenEvent(into log: inout RevisionBatch) {
        guard let was = endedEvent, let none = open, var last = makeRevision(at: log.now, meters: lastMeters) else {
            return
        }
        last.kind = .unknown
        last.end = last.start
        last.isProvisional = false
        last.isWithdrawn = true
        log.events.append(last)
        reopen(was, insteadOf: none)
    }

    /// What seemed to have ended is the open event again.
    mutating func reopen(_ was: ProvisionallyEndedEvent, insteadOf none: OpenEvent) {
        endedEvent = nil
        open = was.event
        open?.settledUntil = none.start
        // Who came on wheels has stood for longer than at a halt.
        if was.event.phase == .stationary, was.event.arrivalMode?.isOnWheels == true { open?.arrivalMode = nil }
        departedFrom = nil
        if was.event.phase == .transport {
            polyline = was.polyline.appending(polyline)
            stopCenter = nil
        } else {
            stopCenter = was.stopCenter
        }
    }

    /// The open event is known as one that has ended; what follows it is to be opened next.
    mutating func setAsideOpenEvent(at end: Timestamp, meters: Double) {
        guard let known = open else { return }
        endedEvent = ProvisionallyEndedEvent(event: known, end: max(end, known.start), endMeters: meters)
        if known.phase == .transport { endedEvent?.polyline = polyline } else { endedEvent?.stopCenter = stopCenter }
        open = nil
    }

    /// A departure that nobody can be sure of was none.
    mutating func withdrawTentativeDeparture(into log: inout RevisionBatch) {
        guard open?.isTentative == true else { return }
        withdrawOpenEvent(into: &log)
        emitRevision(into: &log)
    }
}
