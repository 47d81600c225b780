import OdographCivilTime
import OdographModel

@testable import OdographVehicleBus

/// A bus with a clock of its own and a session that listens to it.
struct Bus {
    private(set) var session: J1939Session
    private(set) var uptimeMilliseconds: Int64 = 1000
    private(set) var events: [VehicleBusEvent] = []

    init() {
        session = J1939Session(name: "can0", at: Self.reading(1000))
    }

    static func reading(_ uptime: Int64) -> ClockReading {
        ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 1_700_000_000_000 + uptime), uptimeMilliseconds: uptime,
            isSystemTimeTrusted: true)
    }

    /// Sends frames at the current time.
    mutating func send(_ frames: CANFrame?...) { send(frames.compactMap(\.self)) }

    mutating func send(_ frames: [CANFrame]) {
        for frame in frames { session.receive(frame, at: Self.reading(uptimeMilliseconds)) { events.append($0) } }
        session.advance(to: Self.reading(uptimeMilliseconds)) { events.append($0) }
    }

    /// Lets time pass in steps of 100 ms.
    /// - Parameter frames: The frames of each step.
    mutating func run(seconds: Double, _ frames: (_ seconds: Double) -> [CANFrame?] = { _ in [] }) {
        for step in 0..<Int((seconds * 10).rounded()) {
            uptimeMilliseconds += 100
            send(frames(Double(step + 1) / 10).compactMap(\.self))
        }
    }

    mutating func fail(because reason: String) {
        session.fail(because: reason, at: Self.reading(uptimeMilliseconds)) { events.append($0) }
    }

    var signals: [VehicleSignals] {
        events.compactMap { if case .signals(let signals) = $0 { signals } else { nil } }
    }

    var states: [VehicleBusEvent.State] {
        events.compactMap { if case .state(let state, _, _) = $0 { state } else { nil } }
    }

    var doubts: [String?] {
        events.compactMap { if case .doubt(let text, _) = $0 { .some(text) } else { nil } }
    }

    var speeds: [Double] { signals.compactMap(\.wheelSpeedMetersPerSecond) }
}

extension CANFrame {
    /// CCVS, km/h.
    static func wheelSpeed(_ kilometersPerHour: Double, from sender: UInt8 = 0) -> CANFrame? {
        CANFrame(
            identifier: ParameterGroup.vehicleSpeed.identifier(sender: sender), isExtended: true,
            bytes: J1939Parameter.wheelSpeed.bytes(with: kilometersPerHour))
    }

    /// EEC1, revolutions per minute.
    static func engine(_ revolutionsPerMinute: Double) -> CANFrame? {
        CANFrame(
            identifier: ParameterGroup.engineController.identifier(priority: 3, sender: 0), isExtended: true,
            bytes: J1939Parameter.engineSpeed.bytes(with: revolutionsPerMinute))
    }

    /// VDHR, metres.
    static func counter(_ meters: Double, from sender: UInt8 = 0xEE) -> CANFrame? {
        CANFrame(
            identifier: ParameterGroup.highResolutionDistance.identifier(sender: sender), isExtended: true,
            bytes: J1939Parameter.highResolutionDistance.bytes(with: meters))
    }

    /// VD, metres.
    static func coarseCounter(_ meters: Double, from sender: UInt8 = 0x17) -> CANFrame? {
        CANFrame(
            identifier: ParameterGroup.distance.identifier(sender: sender), isExtended: true,
            bytes: J1939Parameter.distance.bytes(with: meters))
    }
}
