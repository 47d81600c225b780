import OdographCivilTime
import OdographModel

/// Evidence for the current date: a synchronised machine clock and receiver dates that agree with the monotonic clock.
///
/// A single date can be wrong: a truncated line, a cached report, a receiver that has not decoded the week number yet.
/// So there are separate answers for the probable time (``time(of:)``), for the dates that must all permit the end of
/// private time (``openingDates(at:)``), and for the dates of which one suffices to begin it (``closingDates(at:)``).
struct DateEvidence: Equatable, Sendable {
    /// The number of consecutive fixes that must agree before their date counts as the time.
    static let fixesToTrustTime = FixFilter.requiredFixesForPosition
    /// The number of consecutive fixes that must agree before their date can end private time. Fewer wrong dates never
    /// end it, at whatever positions, since any such run contains a correct date.
    static let fixesToEndPrivacy = 10
    /// The shortest time that such a run must span on the monotonic clock, milliseconds. A receiver needs up to 30 s,
    /// one frame of the GPS signal, to learn the week number; until then its dates can all be wrong by the same amount.
    static let millisecondsToEndPrivacy: Int64 = 30_000
    /// The largest difference between clock offsets that agree, milliseconds: a busy machine delays reports.
    static let toleranceMilliseconds: Int64 = 30_000
    /// The largest step between consecutive replayed dates that agree, milliseconds: a replay has no independent clock.
    static let maximumReplayStepMilliseconds: Int64 = 3_600_000

    /// Whether the clock readings are those of a replay: both clocks repeat its dates and confirm nothing.
    let isReplay: Bool
    /// The newest fixes that agree, oldest first, at most ``fixesToEndPrivacy``: date minus uptime, milliseconds; in a
    /// replay the date itself. The lower bound is the least value of the older dates that came after the date.
    private var run: [ClosedRange<Int64>] = []
    /// The uptime of the first fix of the run, milliseconds.
    private var runUptime: Int64 = 0
    private var lastDate: Int64?
    private var lastUptime: Int64 = 0
    /// The receiver's time minus uptime by the last run of at least ``fixesToTrustTime``, milliseconds.
    private var receiverOffset: Int64?
    /// The same for each fix of the last run that sufficed to end private time, with the older dates after it.
    private var certainOffsets: [ClosedRange<Int64>] = []
    /// The machine's time minus uptime when its clock was last synchronised in this boot, milliseconds.
    private var machineOffset: Int64?

    /// - Parameter isReplay: whether the clock readings are those of a capture.
    init(isReplay: Bool) {
        self.isReplay = isReplay
    }

    /// Forgets everything: the monotonic clock may have restarted.
    mutating func reset() { self = DateEvidence(isReplay: isReplay) }

    // MARK: Evidence

    /// Notes the date that a receiver reported with a fix.
    mutating func observe(_ fix: Fix) {
        let (date, uptime) = (fix.timestamp.millisecondsSinceEpoch, fix.received.uptimeMilliseconds)
        let (offset, overflow) = date.subtractingReportingOverflow(uptime)
        let value = isReplay ? date : overflow ? .max : offset
        // Some receivers report a position twice, or an older one after a newer one, such as a predicted one. The
        // report is no further evidence. Whichever of both dates is right, it must permit the end of private time.
        if isRepeated(date, value) {
            if date != lastDate, let newest = run.popLast() {
                run.append(min(newest.lowerBound, value)...newest.upperBound)
            }
            return
        }
        if isNext(date), agrees(value) {
            if run.count == Self.fixesToEndPrivacy { run.removeFirst() }
            run.append(value...value)
        } else {
            run = [value...value]
            runUptime = uptime
        }
        (lastDate, lastUptime) = (date, uptime)
        if run.count >= Self.fixesToTrustTime { receiverOffset = run.map(\.upperBound).max() }
        if isRunCertain { certainOffsets = run }
    }

    /// Notes the machine's clock, if it is synchronised.
    mutating func observe(_ moment: ClockReading) {
        guard !isReplay, moment.isSystemTimeTrusted else { return }
        machineOffset = moment.systemTime.millisecondsSinceEpoch - moment.uptimeMilliseconds
    }

    private func isRepeated(_ date: Int64, _ value: Int64) -> Bool {
        guard let lastDate, date <= lastDate else { return false }
        return isReplay ? date.isWithin(Self.toleranceMilliseconds, of: lastDate) : agrees(value)
    }

    private func isNext(_ date: Int64) -> Bool { lastDate.map { date > $0 } ?? false }

    private func agrees(_ value: Int64) -> Bool {
        if isReplay {
            return lastDate.map { value.isWithin(Self.maximumReplayStepMilliseconds, of: $0) } ?? false
        }
        return !run.isEmpty && run.allSatisfy { value.isWithin(Self.toleranceMilliseconds, of: $0.upperBound) }
    }

    private var isRunCertain: Bool {
        run.count == Self.fixesToEndPrivacy && (isReplay || lastUptime - runUptime >= Self.millisecondsToEndPrivacy)
    }

    // MARK: Dates

    /// Returns the time of a clock reading: from the machine's clock if it is synchronised, else from the receiver,
    /// else from the machine's last synchronisation; nil if none of them is known.
    func time(of moment: ClockReading) -> Timestamp? {
        if moment.isSystemTimeTrusted { return moment.systemTime }
        return (receiverOffset ?? machineOffset).map { moment.time(atOffset: $0) }
    }

    /// Returns the dates that must all be outside private time for private time to end; nil while the evidence is
    /// insufficient, whatever the dates are.
    ///
    /// A synchronised machine suffices; certain receiver dates that contradict it count as well. In a replay, the last
    /// ``fixesToEndPrivacy`` dates and the clock reading itself count.
    func openingDates(at moment: ClockReading) -> [Timestamp]? {
        guard !isReplay else {
            let now = moment.systemTime.millisecondsSinceEpoch
            guard isRunCertain, let lastDate, now >= lastDate,
                now.isWithin(Self.maximumReplayStepMilliseconds, of: lastDate)
            else { return nil }
            return run.flatMap { [$0.lowerBound, $0.upperBound] }.map { Timestamp(millisecondsSinceEpoch: $0) }
                + [moment.systemTime]
        }
        let isSure = moment.isSystemTimeTrusted || isRunCertain || isRunConfirmedByMachine
        return isSure ? certainDates(at: moment) + certainOffsets.map { moment.time(atOffset: $0.lowerBound) } : nil
    }

    /// Returns the dates of which a single one in private time suffices to enter it; none while no date is known.
    ///
    /// While only the receiver provides the time, they include a new date that contradicts those before it.
    func closingDates(at moment: ClockReading) -> [Timestamp] {
        if isReplay { return [moment.systemTime] }
        let dates = certainDates(at: moment)
        guard !moment.isSystemTimeTrusted, !isRunConfirmedByMachine, let newest = run.last?.upperBound else {
            return dates
        }
        return dates.isEmpty ? [] : dates + [moment.time(atOffset: newest)]
    }

    private func certainDates(at moment: ClockReading) -> [Timestamp] {
        let machine =
            moment.isSystemTimeTrusted ? moment.systemTime : machineOffset.map { moment.time(atOffset: $0) }
        return certainOffsets.map { moment.time(atOffset: $0.upperBound) } + (machine.map { [$0] } ?? [])
    }

    /// Whether the machine was synchronised in this boot, and the newest fixes do not contradict it.
    private var isRunConfirmedByMachine: Bool {
        guard let machineOffset else { return false }
        return run.allSatisfy {
            $0.lowerBound.isWithin(Self.toleranceMilliseconds, of: machineOffset)
                && $0.upperBound.isWithin(Self.toleranceMilliseconds, of: machineOffset)
        }
    }
}

extension Int64 {
    fileprivate func isWithin(_ distance: Int64, of other: Int64) -> Bool {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return !overflow && difference.magnitude <= UInt64(distance)
    }
}

extension ClockReading {
    /// Returns the time of a clock that is ahead of the uptime by a number of milliseconds.
    fileprivate func time(atOffset milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = uptimeMilliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSinceEpoch: overflow ? .max : sum)
    }
}
