import OdographModel

/// Decodes answers of OBD-II on a CAN bus, and requests them if it is permitted.
///
/// Without requests it reads the answers to the requests of other devices.
package struct OBDSession {
    /// The addressing of requests (ISO 15765-4), to all control units.
    private enum Addressing {
        case standard, extended

        var identifier: UInt32 { self == .standard ? 0x7DF : 0x18DB_33F1 }
        var other: Addressing { self == .standard ? .extended : .standard }
    }

    private var signals: OBDSignals
    private var schedule: OBDSchedule?
    private var addressing = Addressing.standard

    /// Begins to listen.
    /// - Parameters:
    ///   - name: The name of the source in messages, for example `can0`.
    ///   - isRequesting: Whether requests are permitted.
    package init(name: String, isRequesting: Bool, at moment: ClockReading) {
        signals = OBDSignals(source: .obd, name: name, at: moment)
        if isRequesting { schedule = OBDSchedule(uptimeMilliseconds: moment.uptimeMilliseconds) }
    }

    /// The uptime at which ``advance(to:emit:)`` has something to do, milliseconds; nil if only a frame can
    /// change that.
    package var deadlineUptimeMilliseconds: Int64? {
        [signals.bus.deadlineUptimeMilliseconds, schedule?.dueUptimeMilliseconds].compactMap(\.self).min()
    }

    /// Handles a frame. Frames that are no answers are ignored.
    package mutating func receive(_ frame: CANFrame, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        guard let answer = OBDAnswer(frame) else { return }
        schedule?.receive(answer, at: moment.uptimeMilliseconds)
        signals.receive(answer, at: moment, emit: emit)
    }

    /// Handles an unusable interface, with the reason.
    package mutating func fail(because reason: String, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        signals.bus.fail(because: reason, at: moment, emit: emit)
    }

    /// Emits what is due.
    /// - Returns: The request to send now, if one is due.
    package mutating func advance(to moment: ClockReading, emit: (VehicleBusEvent) -> Void) -> CANFrame? {
        signals.bus.advance(to: moment, emit: emit)
        guard let parameter = schedule?.next(at: moment.uptimeMilliseconds) else { return nil }
        // A vehicle has one of the two addressings. Nothing on the bus tells which one.
        if schedule?.isUnanswered == true { addressing = addressing.other }
        return CANFrame(
            identifier: addressing.identifier, isExtended: addressing == .extended,
            bytes: [2, OBDParameter.currentDataMode, parameter.rawValue, 0x55, 0x55, 0x55, 0x55, 0x55])
    }
}
