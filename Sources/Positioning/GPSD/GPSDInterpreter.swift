import OdographCivilTime
import OdographModel

/// Interprets gpsd's reports: the selected receiver, the availability of positions, and the fixes.
///
/// It is a value and reads no clock, so that the live client and the replay of a capture can share it.
struct GPSDInterpreter {
    struct StateChange: Hashable {
        let state: SourceState
        let detail: String
    }

    /// The result of one report. The change of state comes before the position.
    struct Outcome {
        var stateChange: StateChange?
        /// The position, with or without a date.
        var position: SourceEvent.Content?
    }

    private let configuredDevice: String?
    private let silenceTimeoutSeconds: Double
    private let assembler: FixAssembler

    private(set) var state: SourceState?
    private(set) var counters = SourceCounters()
    /// The selected receiver, after the first position.
    private(set) var device: String?
    /// The receivers known to gpsd by path, needed to set their rates.
    private(set) var knownDevices: [String: DeviceReport] = [:]
    /// The time of the last fix of ``device``, on the monotonic clock.
    private var lastFixUptimeMilliseconds: Int64?

    init(device: String?, silenceTimeoutSeconds: Double, earliestDate: Timestamp?, isReplay: Bool) {
        configuredDevice = device
        self.silenceTimeoutSeconds = silenceTimeoutSeconds
        assembler = FixAssembler(earliestDate: earliestDate, isReplay: isReplay)
    }

    /// Updates the counters for events outside the reports.
    mutating func updateCounters(_ change: (inout SourceCounters) -> Void) {
        change(&counters)
    }

    mutating func handle(_ report: GPSDReport, at now: ClockReading) -> Outcome {
        switch report {
        case .tpv(let tpv): return handle(tpv, at: now)
        case .device(let device): return Outcome(stateChange: handle(device))
        case .devices(let devices): return Outcome(stateChange: handle(devices))
        case .poll, .version, .watch, .error, .other: return Outcome()
        }
    }

    /// Marks the source as lost: the connection broke, or the receiver was silent for too long.
    mutating func markLost(_ detail: String) -> StateChange? {
        device = nil
        lastFixUptimeMilliseconds = nil
        return transition(to: .lost, detail)
    }

    private mutating func handle(_ tpv: TPVReport, at now: ClockReading) -> Outcome {
        let reporting = tpv.device ?? ""
        guard isSelectedDevice(reporting, at: now) else {
            counters[.otherDevice] += 1
            return Outcome()
        }
        switch assembler.assemble(tpv, received: now) {
        case .fix(let fix): return accept(.fix(fix), of: reporting, at: now)
        case .undatedFix(let fix): return accept(.undatedFix(fix), of: reporting, at: now)
        case .skipped(let reason):
            counters[reason] += 1
            // Mode 0 means "not known (yet)". Between positions it has no meaning.
            guard reason == .noFix, state != .available || tpv.mode == 1 else { return Outcome() }
            return Outcome(stateChange: transition(to: .noFix, "\(Self.name(reporting)) has no position"))
        }
    }

    private mutating func accept(_ position: SourceEvent.Content, of reporting: String, at now: ClockReading) -> Outcome
    {
        device = reporting
        lastFixUptimeMilliseconds = now.uptimeMilliseconds
        counters.fixes += 1
        let change = transition(to: .available, "\(Self.name(reporting)) reports positions")
        return Outcome(stateChange: change, position: position)
    }

    /// Whether the reports of a receiver are used. Several receivers differ by metres, so a track that changes between
    /// them would be worse than that of either.
    private func isSelectedDevice(_ reporting: String, at now: ClockReading) -> Bool {
        if let configuredDevice { return reporting == configuredDevice }
        guard let device, device != reporting, let last = lastFixUptimeMilliseconds else { return true }
        return Double(now.uptimeMilliseconds - last) > silenceTimeoutSeconds * 1000
    }

    private mutating func handle(_ report: DeviceReport) -> StateChange? {
        guard let path = report.path else { return nil }
        guard !report.isActivated else {
            knownDevices[path] = report
            return nil
        }
        knownDevices[path] = nil
        guard path == device || path == configuredDevice || knownDevices.isEmpty else { return nil }
        return markLost("the receiver \(path) disappeared from gpsd")
    }

    private mutating func handle(_ devices: [DeviceReport]) -> StateChange? {
        knownDevices = [:]
        for device in devices {
            if let path = device.path { knownDevices[path] = device }
        }
        if let wanted = configuredDevice ?? (device == "" ? nil : device), knownDevices[wanted] == nil {
            return markLost("gpsd has no receiver \(wanted)")
        }
        return devices.isEmpty ? markLost("gpsd has no receiver") : nil
    }

    private mutating func transition(to newState: SourceState, _ detail: @autoclosure () -> String) -> StateChange? {
        guard state != newState else { return nil }
        state = newState
        return StateChange(state: newState, detail: detail())
    }

    private static func name(_ device: String) -> String {
        device.isEmpty ? "the receiver" : "the receiver \(device)"
    }
}
