import OdographModel

/// The part of each decoder that reduces the signals of a vehicle, judges silence, and withholds wheel speeds that
/// cannot be true.
struct BusSignals {
    private let name: String
    private var sampler: SignalSampler
    private var monitor: BusMonitor
    private var wheelSpeed = WheelSpeedSelection()
    private var doubt: String?

    /// Begins to wait for signals.
    /// - Parameters:
    ///   - name: The name of the source in messages.
    ///   - silenceMilliseconds: The silence that counts.
    init(
        source: VehicleSignals.Source, name: String, at moment: ClockReading,
        silenceMilliseconds: Int64 = BusMonitor.broadcastSilenceMilliseconds
    ) {
        self.name = name
        sampler = SignalSampler(source: source)
        monitor = BusMonitor(
            name: name, uptimeMilliseconds: moment.uptimeMilliseconds, silenceMilliseconds: silenceMilliseconds)
    }

    /// The uptime at which ``advance(to:emit:)`` has something to do, milliseconds; nil if only a message of the
    /// vehicle can change that.
    var deadlineUptimeMilliseconds: Int64? {
        [sampler.dueUptimeMilliseconds, monitor.deadlineUptimeMilliseconds].compactMap(\.self).min()
    }

    var isEngineRunning: Bool { monitor.isEngineRunning }

    /// Handles a message of the vehicle.
    mutating func receive(at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        if let event = monitor.receive(at: moment) { emit(event) }
    }

    /// Handles a wheel speed, m/s.
    mutating func receive(wheelMetersPerSecond speed: Double, from sender: UInt8, at moment: ClockReading) {
        let uptime = moment.uptimeMilliseconds
        guard let speed = wheelSpeed.receive(speed: speed, from: sender, uptimeMilliseconds: uptime) else { return }
        monitor.observe(wheelSpeedMetersPerSecond: speed)
        sampler.update(wheelSpeedMetersPerSecond: speed, at: moment)
    }

    /// Handles the vehicle's distance counter, metres.
    /// - Parameter counter: The selection of its senders.
    @discardableResult
    mutating func receive(
        counterMeters meters: Double, resolutionMeters: Double, from sender: UInt8, at moment: ClockReading,
        by counter: inout CounterSelection
    ) -> CounterSelection.Outcome {
        let uptime = moment.uptimeMilliseconds
        let outcome = counter.receive(
            meters: meters, resolutionMeters: resolutionMeters, from: sender, uptimeMilliseconds: uptime)
        guard outcome != .ignored else { return outcome }
        wheelSpeed.receive(counterMeters: meters, resolutionMeters: resolutionMeters, uptimeMilliseconds: uptime)
        if outcome == .accepted { sampler.update(at: moment) { $0.odometerMeters = meters } }
        return outcome
    }

    /// Handles the speed of the engine, revolutions per minute.
    mutating func receive(engineRevolutionsPerMinute speed: Double, at moment: ClockReading) {
        monitor.observe(engineRevolutionsPerMinute: speed)
        sampler.update(at: moment) { $0.engineRevolutionsPerMinute = speed }
    }

    /// Changes the other signals that are sent next.
    mutating func update(at moment: ClockReading, _ change: (inout VehicleSignals) -> Void) {
        sampler.update(at: moment, change)
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
}
