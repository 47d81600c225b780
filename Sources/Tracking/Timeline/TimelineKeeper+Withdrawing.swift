import CivilTime
import Geodesy

/// Events that end before it is certain that they have.
extension TimelineKeeper {
    /// The stay that the way which lasts seems to have left, and nobody can be sure of it; nil where there is no doubt.
    var doubtedStay: RobustCenter? { open?.isDoubted == true ? ended?.stay : nil }

    /// Ends the open event unless what comes next turns out to be none: until that is certain it stays provisional.
    mutating func endForNow(at end: Timestamp, meters: Double, rules: TimelineRules, into log: inout TimelineLog) {
        settleEnded(rules: rules, into: &log)
        guard let event = nextRevision(at: log.now, meters: meters, until: end, rules: rules) else { return }
        log.events.append(event)
        holdEnded(at: end, meters: meters)
    }

    /// What has ended has ended for good.
    mutating func settleEnded(rules: TimelineRules, into log: inout TimelineLog) {
        guard let was = ended else { return }
        ended = nil
        let lasting = (open: open, stay: stay, line: line)
        (open, stay, line) = (was.event, was.stay, was.line)
        close(at: was.end, meters: was.endMeters, rules: rules, into: &log)
        (open, stay, line) = lasting
    }

    /// What has ended has ended for good as soon as what comes next cannot turn out to be none any more.
    mutating func settleEndedIfCertain(rules: TimelineRules, into log: inout TimelineLog) {
        guard ended != nil, let event = open, let lastTime else { return }
        // It may have ended before it was long enough, and be found to have done so later.
        let isYoung = lastTime.seconds(since: event.start) < rules.longestDoubtSeconds
        switch event.phase {
        case .stationary where isYoung: return
        case .transport where event.isDoubted || isYoung && event.carrier?.isOnWheels != true: return
        case .stationary, .transport, .unknown, .offTheGrid: settleAndPublish(rules: rules, into: &log)
        }
    }

    /// When what has ended has done so for good by the silence since.
    func settlingDue(rules: TimelineRules) -> Timestamp? {
        guard ended != nil, let event = open, event.phase == .stationary, let lastTime else { return nil }
        return max(
            event.start.advanced(bySeconds: rules.longestDoubtSeconds),
            lastTime.advanced(bySeconds: rules.timeline.gapSeconds))
    }

    /// What has ended has ended for good, and the event that lasts is told again: who joins later hears the newest revision
    /// alone.
    mutating func settleAndPublish(rules: TimelineRules, into log: inout TimelineLog) {
        settleEnded(rules: rules, into: &log)
        publish(into: &log)
    }

    /// The open event was none: what it seemed to have ended goes on, and is to be told of next.
    mutating func withdraw(into log: inout TimelineLog) {
        guard let was = ended, let none = open, var last = nextRevision(at: log.now, meters: lastMeters) else { return }
        last.kind = .unknown
        last.end = last.start
        last.isProvisional = false
        last.isWithdrawn = true
        log.events.append(last)
        goOn(with: was, insteadOf: none)
    }

    /// What seemed to have ended is the open event again.
    mutating func goOn(with was: EndedEvent, insteadOf none: OpenEvent) {
        ended = nil
        open = was.event
        open?.decided = none.start
        // Who came on wheels has stood for longer than at a halt.
        if was.event.phase == .stationary, was.event.cameBy?.isOnWheels == true { open?.cameBy = nil }
        left = nil
        if was.event.phase == .transport {
            line = was.line.followed(by: line)
            stay = nil
        } else {
            stay = was.stay
        }
    }

    /// The open event is known as one that has ended; what follows it is to be opened next.
    mutating func holdEnded(at end: Timestamp, meters: Double) {
        guard let known = open else { return }
        ended = EndedEvent(event: known, end: max(end, known.start), endMeters: meters)
        if known.phase == .transport { ended?.line = line } else { ended?.stay = stay }
        open = nil
    }

    /// A departure that nobody can be sure of was none.
    mutating func takeBackDeparture(into log: inout TimelineLog) {
        guard open?.isDoubted == true else { return }
        withdraw(into: &log)
        publish(into: &log)
    }
}
