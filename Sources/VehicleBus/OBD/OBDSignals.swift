import OdographModel

/// Turns answers of OBD-II into signals.
struct OBDSignals {
    /// The silence after which the vehicle is switched off, milliseconds: longer than the longest interval of requests
    /// to a vehicle that answers.
    private static let silenceMilliseconds: Int64 = 8000

    private let name: String
    private var sampler: SignalSampler
    private(set) var monitor: BusMonitor
    private var wheelSpeed = WheelSpeedSelection()
    private var counter = CounterSelection()
    private var others: [OBDParameter: SenderSelection] = [:]
    private var doubt: String?

    /// Begins to wait for answers.
    /// - Parameter name: The name of the source in messages.
    init(source: VehicleSignals.Source, name: String, at moment: ClockReading) {
        self.name = name
        sampler = SignalSampler(source: source)
        monitor = BusMonitor(
            name: name, uptimeMilliseconds: moment.uptimeMilliseconds, silenceMilliseconds: Self.silenceMilliseconds)
    }

    /// The uptime at which ``advance(to:emit:)`` has something to do, milliseconds; nil if only an answer can
    /// change that.
    var deadlineUptimeMilliseconds: Int64? {
        [sampler.dueUptimeMilliseconds, monitor.deadlineUptimeMilliseconds].compactMap(\.self).min()
    }

    /// Handles an answer.
    mutating func receive(_ answer: OBDAnswer, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        if let event = monitor.receive(at: moment) { emit(event) }
        let uptime = moment.uptimeMilliseconds
        // Control units answer only while the ignition is on.
        sampler.update(at: moment) { $0.isIgnitionOn = true }
        switch answer.parameter {
        case .vehicleSpeed:
            guard
                let speed = wheelSpeed.receive(
                    speed: answer.value, from: answer.sender, uptimeMilliseconds: uptime)
            else { return }
            monitor.observe(wheelSpeedMetersPerSecond: speed)
            sampler.update(wheelSpeedMetersPerSecond: speed, at: moment)
        case .odometer:
            let resolution = OBDParameter.odometerResolutionMeters
            let outcome = counter.receive(
                meters: answer.value, resolutionMeters: resolution, from: answer.sender, uptimeMilliseconds: uptime)
            guard outcome != .ignored else { return }
            wheelSpeed.receive(counterMeters: answer.value, resolutionMeters: resolution, uptimeMilliseconds: uptime)
            if outcome == .accepted { sampler.update(at: moment) { $0.odometerMeters = answer.value } }
        case .engineSpeed, .fuelLevel, .moduleVoltage: receiveOther(answer, at: moment)
        }
    }

    /// Adds a voltage that an adapter has measured.
    mutating func receive(batteryVolts: Double, at moment: ClockReading) {
        sampler.update(at: moment) { $0.batteryVolts = batteryVolts }
    }

    /// Handles an unusable source, with the reason.
    mutating func fail(because reason: String, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        if let event = monitor.fail(because: reason, at: moment) { emit(event) }
    }

    /// Emits what is due.
    mutating func advance(to moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        let silence = monitor.checkSilence(at: moment)
        if silence.isSwitchedOff { sampler.update(at: moment) { $0.isIgnitionOn = false } }
        if let signals = sampler.take(at: moment) { emit(.signals(signals)) }
        if let event = silence.event { emit(event) }
        let doubt = wheelSpeed.doubtText(of: name, at: moment.uptimeMilliseconds)
        if doubt != self.doubt {
            self.doubt = doubt
            emit(.doubt(doubt, at: moment))
        }
    }

    private mutating func receiveOther(_ answer: OBDAnswer, at moment: ClockReading) {
        guard
            others[answer.parameter, default: SenderSelection()].accepts(
                sender: answer.sender, uptimeMilliseconds: moment.uptimeMilliseconds)
        else { return }
        if answer.parameter == .engineSpeed { monitor.observe(engineRevolutionsPerMinute: answer.value) }
        sampler.update(at: moment) {
            switch answer.parameter {
            case .engineSpeed: $0.engineRevolutionsPerMinute = answer.value
            case .fuelLevel: $0.fuelLevel = answer.value
            case .moduleVoltage: $0.batteryVolts = answer.value
            case .vehicleSpeed, .odometer: break
            }
        }
    }
}
