import OdographModel

/// Turns answers of OBD-II into signals.
struct OBDSignals {
    /// The silence after which the vehicle is switched off, milliseconds: longer than the longest interval of requests
    /// to a vehicle that answers.
    private static let silenceMilliseconds: Int64 = 8000

    /// The signals of the answers, and those that an adapter has measured.
    var bus: BusSignals
    private var counter = CounterSelection()
    private var others: [OBDParameter: SenderSelection] = [:]

    /// Begins to wait for answers.
    /// - Parameter name: The name of the source in messages.
    init(source: VehicleSignals.Source, name: String, at moment: ClockReading) {
        bus = BusSignals(source: source, name: name, at: moment, silenceMilliseconds: Self.silenceMilliseconds)
    }

    /// Handles an answer.
    mutating func receive(_ answer: OBDAnswer, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        bus.receive(at: moment, emit: emit)
        // Control units answer only while the ignition is on.
        bus.update(at: moment) { $0.isIgnitionOn = true }
        switch answer.parameter {
        case .vehicleSpeed: bus.receive(wheelMetersPerSecond: answer.value, from: answer.sender, at: moment)
        case .odometer:
            bus.receive(
                counterMeters: answer.value, resolutionMeters: OBDParameter.odometerResolutionMeters,
                from: answer.sender, at: moment, by: &counter)
        case .engineSpeed, .fuelLevel, .moduleVoltage: receiveOther(answer, at: moment)
        }
    }

    private mutating func receiveOther(_ answer: OBDAnswer, at moment: ClockReading) {
        guard
            others[answer.parameter, default: SenderSelection()].accepts(
                sender: answer.sender, uptimeMilliseconds: moment.uptimeMilliseconds)
        else { return }
        switch answer.parameter {
        case .engineSpeed: bus.receive(engineRevolutionsPerMinute: answer.value, at: moment)
        case .fuelLevel: bus.update(at: moment) { $0.fuelLevel = answer.value }
        case .moduleVoltage: bus.update(at: moment) { $0.batteryVolts = answer.value }
        case .vehicleSpeed, .odometer: break
        }
    }
}
