import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Repairs the dates of a capture, so that they continue each other.
///
/// A capture has no clock beside the receiver's. A receiver that starts without the time reports another date until it
/// knows it, and corrects the leap seconds later. A cut line gives a wild date, and a recorder that connects again can
/// write the same lines twice. The positions show what happened: a vehicle does not move by a change of the date. Where
/// they do not show it, the dates stay as they are.
struct CaptureDates {
    /// The largest number of fixes that are read ahead to see how dates go on after a jump: 17 minutes at one a second.
    static let lookAhead = 1024
    /// The shortest time between two fixes that is examined, seconds.
    private static let shortestJumpSeconds = 10.0
    /// The same, in intervals between fixes.
    private static let shortestJumpIntervals = 4.0
    /// A step back below this is the order of the reports of one moment, seconds.
    private static let reorderingSeconds = 0.5
    /// A capture without a fix for longer than this has had a wrong date before, seconds.
    private static let longestGapSeconds = 366 * 86_400.0
    /// Captures were made later than this. An earlier date is that of a receiver that did not know it.
    private static let earliestDate = Timestamp(millisecondsSinceEpoch: 1_262_304_000_000)
    /// The longest step back for which the dates of a vehicle at rest wait until they have come to the old ones,
    /// seconds.
    private static let longestWaitSeconds = 86_400.0
    /// The gap before the last fixes of a capture from which they can only have a wild date, seconds, and their number.
    private static let wildGapSeconds = 86_400.0
    private static let wildFixes = 2
    /// The speed of a vehicle that certainly moves, and of one at rest, m/s.
    private static let movingMetersPerSecond = 3.0
    private static let restingMetersPerSecond = 0.5
    /// The deceleration and the acceleration of a hurried driver, m/s².
    private static let (braking, accelerating) = (7.0, 4.5)
    /// The largest ratio of equal intervals.
    private static let largestIrregularity = 3.0
    /// The number of fixes that show how dates go on after a jump.
    private static let proofFixes = 10
    /// The noise between two positions, beside their accuracy, metres.
    private static let noiseMeters = 30.0
    /// The number of fixes that are remembered to recognize lines that come twice.
    private static let rememberedFixes = 8192

    /// The correction of the reported dates, milliseconds.
    private var shiftMilliseconds: Int64 = 0
    /// The number of fixes at the beginning that have another shift, and this shift, milliseconds.
    private var start: (fixes: Int, shiftMilliseconds: Int64) = (0, 0)
    /// The last fix, with its repaired date.
    private var last: Fix?
    /// The last intervals between fixes, seconds.
    private var intervals = [1.0, 1, 1]
    /// The speed by the positions before the last fix, m/s.
    private var pace = 0.0
    /// The events that wait for later ones, oldest first, from ``head`` on.
    private var waiting: [SourceEvent.Content] = []
    private var head = 0
    private var waitingFixCount = 0
    /// The events with repaired dates, the newest first.
    private var ready: [SourceEvent.Content] = []
    /// The places of the last fixes by their reported dates, and the dates in the order of arrival.
    private var places: [Timestamp: Coordinate] = [:]
    private var dates: [Timestamp] = []
    /// Whether the last lines came before.
    private var isRepeating = false
    /// Whether all events were added.
    private(set) var isComplete = false

    /// - Parameter first: the first fixes of the capture, at most ``lookAhead``; empty if they cannot be read twice.
    init(first: [Fix] = []) {
        start = Self.wrongStart(of: first) ?? (0, 0)
    }

    /// Adds the next event of the capture.
    mutating func add(_ content: SourceEvent.Content) {
        if case .fix = content { waitingFixCount += 1 }
        waiting.append(content)
    }

    /// Notes that there is no further event.
    mutating func complete() { isComplete = true }

    /// Returns the next event; nil if another one must be added first, or if there is none.
    mutating func next() -> SourceEvent.Content? {
        while ready.isEmpty {
            guard head < waiting.count else { return nil }
            guard case .fix(let fix) = waiting[head] else { return dated(takeFirst()) }
            guard examine(fix) else { return nil }
        }
        return ready.removeLast()
    }

    // MARK: The beginning

    /// Returns how many fixes at the beginning have a wrong date, and its correction, milliseconds; nil for none. They
    /// are fewer than those that follow, and later than these or more than a year earlier.
    private static func wrongStart(of fixes: [Fix]) -> (fixes: Int, shiftMilliseconds: Int64)? {
        func jumps(_ index: Int) -> Bool {
            let seconds = fixes[index].timestamp.seconds(since: fixes[index - 1].timestamp)
            return seconds < -reorderingSeconds || seconds > longestGapSeconds
        }
        guard let end = fixes.indices.dropFirst().first(where: jumps), fixes.count - end >= end,
            fixes[0].timestamp > fixes[end].timestamp
                || fixes[end].timestamp.seconds(since: fixes[end - 1].timestamp) > longestGapSeconds,
            !(end + 1..<min(2 * end + 2, fixes.count)).contains(where: jumps)
        else { return nil }
        let second = fixes[min(end + 1, fixes.count - 1)].timestamp
        let interval = max(second.millisecondsSinceEpoch - fixes[end].timestamp.millisecondsSinceEpoch, 1)
        let before = fixes[end].timestamp.millisecondsSinceEpoch - min(interval, 60_000)
        return (end, before - fixes[end - 1].timestamp.millisecondsSinceEpoch)
    }

    // MARK: Decisions

    /// Decides on the first waiting event, a fix.
    /// - Returns: whether that is possible; if not, later events must be added.
    private mutating func examine(_ fix: Fix) -> Bool {
        if start.fixes > 0 {
            start.fixes -= 1
            return emit(fix, at: fix.timestamp.advanced(byMilliseconds: start.shiftMilliseconds))
        }
        guard let last else { return emit(fix, at: fix.timestamp) }
        let age = last.timestamp.seconds(since: dated(fix.timestamp))
        if places[fix.timestamp] == fix.coordinate, age > 0 || age == 0 && isRepeating {
            isRepeating = true
            return drop()
        }
        if shiftMilliseconds != 0, !isImpossible(Double(shiftMilliseconds) / 1000), isResting(fix), isResting(last) {
            // A vehicle at rest loses nothing while the dates come together.
            if fix.timestamp > last.timestamp {
                shiftMilliseconds = 0
            } else if last.timestamp.seconds(since: fix.timestamp) <= Self.longestWaitSeconds {
                return drop()
            }
        }
        let time = dated(fix.timestamp)
        let seconds = time.seconds(since: last.timestamp)
        let jump = max(Self.shortestJumpSeconds, Self.shortestJumpIntervals * interval)
        if seconds >= -Self.reorderingSeconds, seconds <= jump { return emit(fix, at: time) }
        guard isComplete || waitingFixCount >= Self.lookAhead else { return false }
        let fixes = waitingFixes
        if seconds < 0 { return stepBack(fix, fixes, after: last) }
        if let count = wildCount(fixes, after: last) { return emitWild(fixes.prefix(count), before: fixes[count]) }
        return stepForward(fix, fixes, seconds, after: last)
    }

    /// Returns how many fixes have another date than those after them, which continue the dates before; nil for none.
    private func wildCount(_ fixes: [Fix], after last: Fix) -> Int? {
        guard isRegular, isNear(fixes[0], to: last),
            let count = fixes.indices.dropFirst().first(where: { fixes[$0].timestamp < fixes[$0 - 1].timestamp })
        else { return nil }
        // Lines that come twice leave no time for the fixes.
        let room = dated(fixes[count].timestamp).seconds(since: last.timestamp)
        let usual = Double(count + 1) * interval
        return room >= usual / 2 && room <= 2 * usual + 2 ? count : nil
    }

    private mutating func emitWild(_ fixes: ArraySlice<Fix>, before next: Fix) -> Bool {
        guard let last else { return false }
        let room = dated(next.timestamp).seconds(since: last.timestamp)
        for (index, fix) in fixes.enumerated() {
            let share = Double(index + 1) / Double(fixes.count + 1)
            takeEventsBeforeFix()
            _ = emit(fix, at: last.timestamp.advanced(bySeconds: room * share))
        }
        return true
    }

    private mutating func stepBack(_ fix: Fix, _ fixes: [Fix], after last: Fix) -> Bool {
        let isPassed = fixes.contains { dated($0.timestamp) > last.timestamp }
        let isShort = last.timestamp.seconds(since: dated(fix.timestamp)) <= Self.longestWaitSeconds
        if isNear(fix, to: last), isRegular, goesOn(fixes),
            isMoving(fix) || isMoving(last)
                || !isPassed && (isShort || isImpossible(dated(fix.timestamp).seconds(since: last.timestamp)))
        {
            return continueDates(at: fix, after: last)
        }
        // A late report, the same lines again, or a vehicle at rest until the dates have come to the old ones.
        return isPassed ? drop() : emit(fix, at: dated(fix.timestamp))
    }

    private mutating func stepForward(_ fix: Fix, _ fixes: [Fix], _ seconds: Double, after last: Fix) -> Bool {
        let isLast = isComplete && fixes.count <= Self.wildFixes && seconds > Self.wildGapSeconds
        let isWrong = isImpossible(seconds) && last.timestamp >= Self.earliestDate
        if isNear(fix, to: last), isRegular,
            isLast || goesOn(fixes) && (isWrong || isTooShortForHalt(fix, after: last))
        {
            return continueDates(at: fix, after: last)
        }
        return emit(fix, at: dated(fix.timestamp))
    }

    /// Whether a jump of the date is longer than any silence of a capture. Then the dates after it are wrong for good.
    private func isImpossible(_ seconds: Double) -> Bool { abs(seconds) > Self.longestGapSeconds }

    /// Whether the vehicle moves at both fixes, and cannot have stopped and started between them: then no time has
    /// passed.
    private func isTooShortForHalt(_ fix: Fix, after last: Fix) -> Bool {
        guard let before = last.speedMetersPerSecond, let after = fix.speedMetersPerSecond,
            min(before, after) >= Self.movingMetersPerSecond
        else { return false }
        // A receiver that repeats its last position is frozen, and time has passed.
        let meters = last.coordinate.distanceMeters(to: fix.coordinate)
        let expected = (before + after) / 2 * interval
        guard abs(meters - expected) <= expected / 2 + min(fix.accuracyMeters ?? 0, expected / 4) else { return false }
        let halt = before * before / (2 * Self.braking) + after * after / (2 * Self.accelerating)
        return meters < halt
    }

    /// Lets the dates from a fix on continue the last one.
    private mutating func continueDates(at fix: Fix, after last: Fix) -> Bool {
        let time = last.timestamp.advanced(bySeconds: interval)
        shiftMilliseconds = time.millisecondsSinceEpoch - fix.timestamp.millisecondsSinceEpoch
        return emit(fix, at: time)
    }

    // MARK: Movement

    /// The usual interval between fixes, seconds: the median of the last three, at most an hour.
    private var interval: Double { min(intervals.sorted()[1], 3600) }

    /// Whether the last fixes came at equal intervals, as a receiver gives them.
    private var isRegular: Bool {
        let sorted = intervals.sorted()
        return sorted[2] <= Self.largestIrregularity * sorted[0]
    }

    /// Whether fixes go on at the usual interval, so that a jump before them is one of the date.
    private func goesOn(_ fixes: [Fix]) -> Bool {
        let next = fixes.prefix(Self.proofFixes)
        return zip(next, next.dropFirst()).allSatisfy { fix, next in
            let seconds = next.timestamp.seconds(since: fix.timestamp)
            return seconds > 0 && seconds <= Self.largestIrregularity * interval
        }
    }

    private func speed(_ fix: Fix) -> Double { fix.speedMetersPerSecond ?? pace }
    private func isMoving(_ fix: Fix) -> Bool { speed(fix) >= 1 }
    private func isResting(_ fix: Fix) -> Bool { speed(fix) < Self.restingMetersPerSecond }

    /// Whether a fix is where the vehicle comes within an interval.
    private func isNear(_ fix: Fix, to last: Fix) -> Bool {
        let noise = Self.noiseMeters + max(fix.accuracyMeters ?? 0, last.accuracyMeters ?? 0)
        return last.coordinate.distanceMeters(to: fix.coordinate)
            <= 2 * interval * max(speed(fix), speed(last), 1) + noise
    }

    // MARK: Events

    private var waitingFixes: [Fix] {
        waiting[head...].compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    }

    /// Removes the first waiting event.
    private mutating func takeFirst() -> SourceEvent.Content {
        let content = waiting[head]
        head += 1
        if case .fix = content { waitingFixCount -= 1 }
        if head > Self.lookAhead || head == waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
        return content
    }

    private func dated(_ time: Timestamp) -> Timestamp { time.advanced(byMilliseconds: shiftMilliseconds) }

    /// Removes the first waiting event, which repeats or contradicts earlier ones.
    private mutating func drop() -> Bool {
        _ = takeFirst()
        return true
    }

    /// Makes the events before the next waiting fix ready.
    private mutating func takeEventsBeforeFix() {
        while head < waiting.count {
            if case .fix = waiting[head] { return }
            ready.insert(dated(takeFirst()), at: 0)
        }
    }

    /// Makes the first waiting event, a fix, ready with a date.
    private mutating func emit(_ fix: Fix, at time: Timestamp) -> Bool {
        _ = takeFirst()
        isRepeating = false
        remember(fix)
        var repaired = fix
        if time != fix.timestamp {
            repaired.timestamp = time
            repaired.received = ClockReading(replayed: time)
        }
        if let last {
            let seconds = time.seconds(since: last.timestamp)
            if seconds > 0 {
                // The first interval is the usual one until more are known.
                intervals = dates.count == 2 ? [seconds, seconds, seconds] : intervals.dropFirst() + [seconds]
                pace = last.coordinate.distanceMeters(to: fix.coordinate) / seconds
            }
        }
        last = repaired
        ready.insert(.fix(repaired), at: 0)
        return true
    }

    private mutating func remember(_ fix: Fix) {
        if places.updateValue(fix.coordinate, forKey: fix.timestamp) == nil { dates.append(fix.timestamp) }
        guard dates.count > 2 * Self.rememberedFixes else { return }
        for date in dates.prefix(Self.rememberedFixes) { places[date] = nil }
        dates.removeFirst(Self.rememberedFixes)
    }

    /// Returns an event that is no fix, at a time that its neighbours allow.
    private func dated(_ content: SourceEvent.Content) -> SourceEvent.Content {
        guard case .state(let state, let moment, let detail) = content else { return content }
        let shift = start.fixes > 0 ? start.shiftMilliseconds : shiftMilliseconds
        var time = moment.systemTime.advanced(byMilliseconds: shift)
        if let last {
            let seconds = time.seconds(since: last.timestamp)
            if seconds < 0 || seconds > Self.longestGapSeconds { time = last.timestamp }
        }
        return .state(state, at: time == moment.systemTime ? moment : ClockReading(replayed: time), detail: detail)
    }
}
