import OdographModel

/// Decodes the frames of a J1939 bus. It only listens.
///
/// The caller gives it each frame and the time, and calls ``advance(to:emit:)`` at the ``deadlineUptimeMilliseconds``.
package struct J1939Session {
    /// The ratio of km/h to m/s.
    private static let kilometersPerHour = 3.6
    /// The voltage behind the key switch above which the ignition is on, volts, for systems of 12 V and 24 V.
    private static let keySwitchOnVolts = 6.0
    /// The voltage below which it is off, volts. Between them the state is unknown.
    private static let keySwitchOffVolts = 3.0

    private var bus: BusSignals
    private var highResolutionDistance = CounterSelection()
    private var distance = CounterSelection()
    private var engine = SenderSelection()
    private var power = SenderSelection()
    private var display = SenderSelection()
    /// The uptime of the latest counter of high resolution, milliseconds. The other counter is not used beside it.
    private var highResolutionUptime: Int64?

    /// Begins to listen.
    /// - Parameter name: The name of the source in messages, for example `can0`.
    package init(name: String, at moment: ClockReading) {
        bus = BusSignals(source: .j1939, name: name, at: moment)
    }

    /// The uptime at which ``advance(to:emit:)`` has something to do, milliseconds; nil if only a frame can
    /// change that.
    package var deadlineUptimeMilliseconds: Int64? { bus.deadlineUptimeMilliseconds }

    /// Handles a frame. Frames of other groups are ignored.
    package mutating func receive(_ frame: CANFrame, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        guard frame.isExtended, let group = ParameterGroup(identifier: frame.identifier) else { return }
        let sender = UInt8(truncatingIfNeeded: frame.identifier)
        bus.receive(at: moment, emit: emit)
        switch group {
        case .engineController: receiveEngineSpeed(frame, from: sender, at: moment)
        case .vehicleSpeed: receiveWheelSpeed(frame, from: sender, at: moment)
        case .highResolutionDistance, .distance: receiveCounter(group, frame, from: sender, at: moment)
        case .electricalPower: receivePower(frame, from: sender, at: moment)
        case .dashDisplay:
            guard let level = J1939Parameter.fuelLevel.value(in: frame),
                display.accepts(sender: sender, uptimeMilliseconds: moment.uptimeMilliseconds)
            else { return }
            bus.update(at: moment) { $0.fuelLevel = level }
        }
    }

    /// Handles an unusable interface, with the reason.
    package mutating func fail(because reason: String, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        bus.fail(because: reason, at: moment, emit: emit)
    }

    /// Emits what is due.
    package mutating func advance(to moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        bus.advance(to: moment, emit: emit)
    }

    private mutating func receiveEngineSpeed(_ frame: CANFrame, from sender: UInt8, at moment: ClockReading) {
        guard let speed = J1939Parameter.engineSpeed.value(in: frame),
            engine.accepts(sender: sender, uptimeMilliseconds: moment.uptimeMilliseconds)
        else { return }
        bus.receive(engineRevolutionsPerMinute: speed, at: moment)
        if bus.isEngineRunning { bus.update(at: moment) { $0.isIgnitionOn = true } }
    }

    private mutating func receiveWheelSpeed(_ frame: CANFrame, from sender: UInt8, at moment: ClockReading) {
        guard let speed = J1939Parameter.wheelSpeed.value(in: frame) else { return }
        bus.receive(wheelMetersPerSecond: speed / Self.kilometersPerHour, from: sender, at: moment)
    }

    private mutating func receiveCounter(
        _ group: ParameterGroup, _ frame: CANFrame, from sender: UInt8, at moment: ClockReading
    ) {
        let uptime = moment.uptimeMilliseconds
        let isHighResolution = group == .highResolutionDistance
        let parameter = isHighResolution ? J1939Parameter.highResolutionDistance : .distance
        guard let meters = parameter.value(in: frame) else { return }
        if isHighResolution {
            let outcome = bus.receive(
                counterMeters: meters, resolutionMeters: parameter.resolution, from: sender, at: moment,
                by: &highResolutionDistance)
            if outcome == .accepted { highResolutionUptime = uptime }
        } else {
            if let highResolutionUptime, uptime - highResolutionUptime <= CounterSelection.silenceMilliseconds {
                return
            }
            bus.receive(
                counterMeters: meters, resolutionMeters: parameter.resolution, from: sender, at: moment, by: &distance)
        }
    }

    private mutating func receivePower(_ frame: CANFrame, from sender: UInt8, at moment: ClockReading) {
        let battery = J1939Parameter.batteryVoltage.value(in: frame)
        let keySwitch = J1939Parameter.keySwitchVoltage.value(in: frame)
        guard battery != nil || keySwitch != nil,
            power.accepts(sender: sender, uptimeMilliseconds: moment.uptimeMilliseconds)
        else { return }
        let isEngineRunning = bus.isEngineRunning
        bus.update(at: moment) {
            if let battery { $0.batteryVolts = battery }
            if let keySwitch, keySwitch >= Self.keySwitchOnVolts { $0.isIgnitionOn = true }
            // A running engine is better evidence than a voltage that is not connected.
            if let keySwitch, keySwitch < Self.keySwitchOffVolts, !isEngineRunning { $0.isIgnitionOn = false }
        }
    }
}
