import OdographCivilTime
import OdographModel

/// Interprets gpsd's reports: the selected receiver, the availability of positions, and one fix for each cycle.
///
/// It is a value and reads no clock, so that the live client and the replay of a capture can share it. A change of the
/// state comes before the position that causes it, and after the positions before it.
struct GPSDInterpreter {
    private let configuredDevice: String?
    private let silenceTimeoutSeconds: Double
    private let assembler: FixAssembler

    private(set) var state: SourceState?
    private(set) var counters = SourceCounters()
    /// The selected receiver, after the first position.
    private(set) var device: String?
    /// The receiver that was selected when the source was lost, and those beside it: that they have no position does not
    /// tell that it is back.
    private var lost: (device: String, others: Set<String>)?
    /// Why the source is lost.
    private var lostDetail = ""
    /// The newest level of jamming, and its arrival on the monotonic clock.
    private var jamming: (level: Double, uptimeMilliseconds: Int64)?
    /// The receivers known to gpsd by path, needed to set their rates.
    private(set) var knownDevices: [String: DeviceReport] = [:]
    /// The arrival of the last position of ``device``, on the monotonic clock.
    private var lastPositionUptimeMilliseconds: Int64?
    /// The arrival of its last report, also of one without a position.
    private var lastReportUptimeMilliseconds: Int64?
    /// The cycle of ``device``.
    private var cycles = CycleAssembler()

    init(device: String?, silenceTimeoutSeconds: Double, earliestDate: Timestamp?, isReplay: Bool) {
        configuredDevice = device
        self.silenceTimeoutSeconds = silenceTimeoutSeconds
        assembler = FixAssembler(earliestDate: earliestDate, isReplay: isReplay)
    }

    /// Whether further reports of the last position are expected.
    var isCycleIncomplete: Bool { cycles.isIncomplete }

    /// The time of the next decision of ``advance(to:into:)``, on the monotonic clock; nil for none. A capture has no
    /// arrivals, so that each of its cycles lasts until the next one.
    var dueUptimeMilliseconds: Int64? { assembler.isReplay ? nil : cycles.dueUptimeMilliseconds }

    /// Updates the counters for events outside the reports.
    mutating func updateCounters(_ change: (inout SourceCounters) -> Void) {
        change(&counters)
    }

    /// Handles a report of the stream.
    mutating func handle(_ report: GPSDReport, at now: ClockReading, into events: inout [SourceEvent.Content]) {
        switch report {
        case .tpv(let tpv): handle(tpv, isOnly: false, at: now, into: &events)
        case .device(let device): handle(device, at: now, into: &events)
        case .devices(let devices): handle(devices, at: now, into: &events)
        case .other: cycles.noteOtherReport(at: now)
        case .poll, .version, .watch, .error: break
        }
        advance(to: now, into: &events)
    }

    /// Handles a report that answers a poll: no other one of its cycle follows.
    mutating func handlePolled(_ tpv: TPVReport, at now: ClockReading, into events: inout [SourceEvent.Content]) {
        handle(tpv, isOnly: true, at: now, into: &events)
    }

    /// Emits the fix of a cycle that is complete by now.
    mutating func advance(to now: ClockReading, into events: inout [SourceEvent.Content]) {
        guard let due = dueUptimeMilliseconds, now.uptimeMilliseconds >= due else { return }
        finishCycle(into: &events)
    }

    /// Emits the fix of the cycle that waits, if any.
    mutating func finishCycle(into events: inout [SourceEvent.Content]) {
        guard let cycle = cycles.take() else { return }
        switch assembler.assemble(cycle.report, received: cycle.received) {
        case .fix(let fix): events.append(.fix(fix))
        case .undatedFix(let fix): events.append(.undatedFix(fix))
        case .skipped(let reason):
            counters[reason] += 1
            return
        }
        counters.fixes += 1
    }

    /// Marks the source as lost: the connection broke, or the receiver was silent for too long.
    mutating func markLost(_ detail: String, at now: ClockReading, into events: inout [SourceEvent.Content]) {
        finishCycle(into: &events)
        cycles = CycleAssembler()
        if let device { lost = (device, Set(knownDevices.keys).subtracting([device])) }
        device = nil
        lastPositionUptimeMilliseconds = nil
        jamming = nil
        transition(to: .lost, detail, at: now, into: &events)
    }

    // MARK: - Positions

    private mutating func handle(
        _ tpv: TPVReport, isOnly: Bool, at now: ClockReading, into events: inout [SourceEvent.Content]
    ) {
        let reporting = tpv.device ?? ""
        guard isSelectedDevice(reporting, at: now) else {
            counters[.otherDevice] += 1
            return
        }
        if reporting == device { lastReportUptimeMilliseconds = now.uptimeMilliseconds }
        let tpv = withJamming(tpv, at: now)
        switch assembler.assemble(tpv, received: now) {
        case .fix(let fix), .undatedFix(let fix):
            select(reporting, at: now, into: &events)
            transition(to: .available, "\(Self.name(reporting)) reports positions", at: fix.received, into: &events)
            if isOnly { finishCycle(into: &events) }
            add(tpv, at: now, into: &events)
            if isOnly {
                finishCycle(into: &events)
                cycles.forgetCycle()
            }
        case .skipped(.noPosition) where cycles.continues(tpv, at: now): add(tpv, at: now, into: &events)
        case .skipped(let reason):
            counters[reason] += 1
            guard reason == .noFix else { return }
            if let device, device != reporting {
                guard isOver(lastReportUptimeMilliseconds, at: now) else { return }
                markLost("\(Self.name(device)) is silent", at: now, into: &events)
                lost?.others.insert(reporting)
            }
            guard state != .lost || lost?.others.contains(reporting) != true else { return }
            // Mode 0 means "not known (yet)". Between positions, which come seldom if they are polled, it has no
            // meaning.
            let isLong = !isOnly && isOver(lastPositionUptimeMilliseconds, at: now)
            guard state != .available || tpv.mode == 1 || isLong else { return }
            finishCycle(into: &events)
            transition(to: .noFix, "\(Self.name(reporting)) has no position", at: now, into: &events)
        }
    }

    /// The time for which a level of jamming holds, milliseconds. gpsd sends the level with one position in four, or
    /// after it.
    private static let jammingMilliseconds: Int64 = 6000

    /// Returns the report with the newest level of jamming, if it has none itself.
    private mutating func withJamming(_ tpv: TPVReport, at now: ClockReading) -> TPVReport {
        var tpv = tpv
        if let level = tpv.jam {
            jamming = (level, now.uptimeMilliseconds)
        } else if let jamming, now.uptimeMilliseconds - jamming.uptimeMilliseconds <= Self.jammingMilliseconds {
            tpv.jam = jamming.level
        }
        return tpv
    }

    private mutating func add(_ tpv: TPVReport, at now: ClockReading, into events: inout [SourceEvent.Content]) {
        if cycles.continues(tpv, at: now) {
            counters[.sameCycle] += 1
            cycles.merge(tpv, at: now)
        } else {
            finishCycle(into: &events)
            cycles.begin(tpv, at: now)
        }
    }

    private mutating func select(
        _ reporting: String, at now: ClockReading, into events: inout [SourceEvent.Content]
    ) {
        (lastPositionUptimeMilliseconds, lastReportUptimeMilliseconds) = (
            now.uptimeMilliseconds, now.uptimeMilliseconds
        )
        guard device != reporting else { return }
        finishCycle(into: &events)
        cycles = CycleAssembler()
        device = reporting
        lost = nil
    }

    // MARK: - Receivers

    /// Whether the reports of a receiver are used. Several receivers differ by metres, so a track that changes between
    /// them would be worse than that of either.
    private func isSelectedDevice(_ reporting: String, at now: ClockReading) -> Bool {
        if let configuredDevice { return reporting == configuredDevice }
        guard let device, device != reporting else { return true }
        return isOver(lastPositionUptimeMilliseconds, at: now)
    }

    /// Whether more than the longest silence has passed since then, or there was nothing.
    private func isOver(_ uptimeMilliseconds: Int64?, at now: ClockReading) -> Bool {
        uptimeMilliseconds.map { Double(now.uptimeMilliseconds - $0) > silenceTimeoutSeconds * 1000 } ?? true
    }

    private mutating func handle(
        _ report: DeviceReport, at now: ClockReading, into events: inout [SourceEvent.Content]
    ) {
        guard let path = report.path else { return }
        guard !report.isActivated else {
            knownDevices[path] = report
            return
        }
        knownDevices[path] = nil
        guard path == device || path == configuredDevice || knownDevices.isEmpty else { return }
        markLost("the receiver \(path) disappeared from gpsd", at: now, into: &events)
    }

    private mutating func handle(
        _ devices: [DeviceReport], at now: ClockReading, into events: inout [SourceEvent.Content]
    ) {
        knownDevices = [:]
        for device in devices {
            if let path = device.path { knownDevices[path] = device }
        }
        let selected = device ?? lost?.device
        if let wanted = configuredDevice ?? (selected == "" ? nil : selected), knownDevices[wanted] == nil {
            markLost("gpsd has no receiver \(wanted)", at: now, into: &events)
        } else if devices.isEmpty {
            markLost("gpsd has no receiver", at: now, into: &events)
        }
    }

    /// Reports a new state, and a new reason of a loss.
    private mutating func transition(
        to newState: SourceState, _ detail: @autoclosure () -> String, at now: ClockReading,
        into events: inout [SourceEvent.Content]
    ) {
        guard state != newState || newState == .lost else { return }
        let detail = detail()
        guard state != newState || detail != lostDetail else { return }
        state = newState
        lostDetail = newState == .lost ? detail : ""
        events.append(.state(newState, at: now, detail: detail))
    }

    private static func name(_ device: String) -> String {
        device.isEmpty ? "the receiver" : "the receiver \(device)"
    }
}
