import OdographCivilTime
import OdographModel

/// The times that were published while the receiver had another date, and the steps of that date.
///
/// A receiver can turn out to have been ahead of the time. Published intervals are never published again.
struct PublishedInterval: Equatable, Sendable, Codable {
    struct TimeSpan: Equatable, Codable {
        var start: Timestamp
        var end: Timestamp
    }

    /// A gap that a jump of the date ends.
    struct ClockJump: Equatable, Codable {
        var event: OpenEvent
        var end: Timestamp
    }

    /// The longest gap that is believed, seconds. A vehicle in use has positions once a year. A longer gap can be a
    /// mistake of the receiver (a wrong count of GPS weeks is 19.6 years), and stays provisional.
    static let longestPlausibleGapSeconds = 366 * 86_400.0

    /// The published time that is still to come by the present date.
    var upcoming: TimeSpan?
    /// The last gap that may turn out to be shorter.
    var clockJump: ClockJump?

    /// Whether a time is not published yet. From `publishedSince` on it is, except in a clock jump.
    func isUnpublished(at time: Timestamp, in events: EventSequence) -> Bool {
        guard let begin = events.publishedSince else { return true }
        return time < begin || clockJump.map { $0.event.start < time && time < $0.end } ?? false
    }

    /// Whether the date of a fix is not after the start of the gap that lasts. Nothing is published until it is.
    static func isBeforeOpenGap(_ fix: Fix, in events: EventSequence) -> Bool {
        events.open.map { $0.isOffTheGrid && fix.timestamp <= $0.start } ?? false
    }

    /// Whether the receiver's date has stepped back. A gap waits for a fix after its start, unless the date is far off.
    func hasSteppedBack(to fix: Fix, in events: EventSequence, gapSeconds gap: Double) -> Bool {
        guard let open = events.open else { return false }
        guard let last = events.lastFix, !open.isOffTheGrid else {
            return open.start.seconds(since: fix.timestamp) > gap && isUnpublished(at: fix.timestamp, in: events)
        }
        return fix.timestamp < last.timestamp
    }

    /// Continues behind the published time when the date has come to its start.
    mutating func skip(at now: Timestamp, events: inout EventSequence, into batch: inout RevisionBatch) {
        guard let ahead = upcoming, now >= ahead.start, let open = events.open else { return }
        if open.isOffTheGrid {
            endGap(at: ahead.start, meters: events.lastMeters, events: &events, into: &batch)
        } else {
            events.finalizeOpen(at: ahead.start, into: &batch)
        }
        upcoming = nil
        // The next event does not touch it.
        events.finalizeEnded(into: &batch)
        events.polyline = WaypointPolyline()
        events.beginAndEmit(.offTheGrid(.clockUntrusted), at: ahead.end, into: &batch)
    }

    /// Ends the gap that lasts; provisionally after a jump of the date.
    /// - Parameter distance: the estimated distance since the last fix. Nil where it is not known.
    mutating func endGap(
        at end: Timestamp, meters: Double, distance: GapDistance? = nil, events: inout EventSequence,
        into batch: inout RevisionBatch
    ) {
        guard let gap = events.open, end.seconds(since: gap.start) > Self.longestPlausibleGapSeconds else {
            return events.endGap(at: end, meters: meters, distance: distance, into: &batch)
        }
        finalizeClockJump(events: &events, into: &batch)
        events.open = events.splitOffDowntime(of: gap, before: end, into: &batch)
        events.emitRevision(into: &batch)
        batch.events[batch.events.count - 1].end = end
        clockJump = events.open.map { ClockJump(event: $0, end: end) }
        events.open = nil
    }

    /// Emits the final revision of the gap before the last jump of the date.
    mutating func finalizeClockJump(events: inout EventSequence, into batch: inout RevisionBatch) {
        guard let jump = clockJump else { return }
        clockJump = nil
        events.finalize(jump.event, at: jump.end, meters: jump.event.startMeters, into: &batch)
    }

    /// Takes a step of the receiver's date to an earlier one.
    ///
    /// The timeline goes on there if nothing is published of that time. Otherwise it waits until the date has come to
    /// the end of the published time.
    mutating func stepBack(
        to fix: Fix, odometerMeters: Double, events: inout EventSequence, into batch: inout RevisionBatch
    ) {
        events.withdrawTentativeDeparture(into: &batch)
        guard let lasting = events.open else { return }
        let last = max(events.lastFix?.timestamp ?? lasting.start, lasting.start)
        if last.seconds(since: fix.timestamp) <= batch.rules.timeline.gapSeconds {
            // A short step, as after a leap second, changes nothing but the date.
            if fix.timestamp <= lasting.start { events.withdrawOpen(into: &batch) }
            return events.goOn(after: fix, odometerMeters: odometerMeters, into: &batch)
        }
        events.finalizeEnded(into: &batch)
        guard let open = events.open else { return }
        if fix.timestamp > open.start {
            events.finalizeOpen(at: fix.timestamp, into: &batch)
            return events.beginUnknown(at: fix, odometerMeters: odometerMeters, into: &batch)
        }
        events.finalizeOpen(at: last, into: &batch)
        events.polyline = WaypointPolyline()
        events.lastMeters = odometerMeters
        let isUnpublished = isUnpublished(at: fix.timestamp, in: events)
        let end = recordPublished(upTo: last, for: fix.timestamp, events: &events, into: &batch)
        if isUnpublished {
            events.beginAndEmit(.unknown(Stop()), at: fix.timestamp, into: &batch)
        } else {
            events.beginAndEmit(.offTheGrid(.clockUntrusted), at: end, into: &batch)
        }
    }

    /// Records what is published before an earlier time.
    /// - Returns: the end of everything that is published.
    private mutating func recordPublished(
        upTo last: Timestamp, for time: Timestamp, events: inout EventSequence, into batch: inout RevisionBatch
    ) -> Timestamp {
        let end = fillGapToUpcoming(from: last, events: &events, into: &batch)
        if let begin = events.publishedSince, isUnpublished(at: time, in: events) {
            if let jump = clockJump, time > jump.event.start {
                upcoming = TimeSpan(start: jump.end, end: end)
                clockJump?.end = time
                clockJump?.event.phase = .offTheGrid(.clockUntrusted)
            } else {
                upcoming = TimeSpan(start: begin, end: end)
                events.publishedSince = nil
            }
        }
        finalizeClockJump(events: &events, into: &batch)
        return end
    }

    /// Fills the time up to the upcoming published time with a gap.
    /// - Returns: the end of the published time.
    mutating func fillGapToUpcoming(
        from last: Timestamp, events: inout EventSequence, into batch: inout RevisionBatch
    ) -> Timestamp {
        guard let ahead = upcoming else { return last }
        upcoming = nil
        events.begin(.offTheGrid(.clockUntrusted), at: last)
        events.finalizeOpen(at: ahead.start, into: &batch)
        return ahead.end
    }
}
