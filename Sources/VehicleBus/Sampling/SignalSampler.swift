import OdographModel

/// Reduces the frames of a bus to one value of ``VehicleSignals`` a second, and one more as soon as the vehicle starts,
/// stops or switches the ignition.
struct SignalSampler {
    /// The interval between two values, milliseconds.
    static let intervalMilliseconds: Int64 = 1000
    /// The shortest interval, milliseconds.
    static let changeIntervalMilliseconds: Int64 = 200

    private let source: VehicleSignals.Source
    private var pending: VehicleSignals?
    private var isUrgent = false
    private var lastUptimeMilliseconds: Int64?
    private var wasMoving: Bool?
    private var wasIgnitionOn: Bool?

    /// Creates a sampler for the signals of a source.
    init(source: VehicleSignals.Source) {
        self.source = source
    }

    /// Changes the signals that are sent next. Their time is that of the wheel speed if they have one, because the
    /// others change slowly.
    mutating func update(at moment: ClockReading, _ change: (inout VehicleSignals) -> Void) {
        var signals = pending ?? VehicleSignals(source: source, received: moment)
        if signals.wheelSpeedMetersPerSecond == nil { signals.received = moment }
        change(&signals)
        if let isOn = signals.isIgnitionOn, isOn != wasIgnitionOn {
            isUrgent = true
            wasIgnitionOn = isOn
        }
        pending = signals
    }

    /// Changes the wheel speed that is sent next, m/s.
    mutating func update(wheelSpeedMetersPerSecond speed: Double, at moment: ClockReading) {
        update(at: moment) {
            $0.wheelSpeedMetersPerSecond = speed
            $0.received = moment
        }
        let isMoving = speed > 0
        if isMoving != wasMoving {
            isUrgent = true
            wasMoving = isMoving
        }
    }

    /// The uptime at which signals are due, milliseconds; nil if there are none.
    var dueUptimeMilliseconds: Int64? {
        guard pending != nil else { return nil }
        guard let lastUptimeMilliseconds else { return .min }
        return lastUptimeMilliseconds + (isUrgent ? Self.changeIntervalMilliseconds : Self.intervalMilliseconds)
    }

    /// Returns the signals received since the last call, if they are due.
    mutating func take(at moment: ClockReading) -> VehicleSignals? {
        guard let due = dueUptimeMilliseconds, moment.uptimeMilliseconds >= due, let signals = pending else {
            return nil
        }
        pending = nil
        isUrgent = false
        lastUptimeMilliseconds = moment.uptimeMilliseconds
        return signals.validated
    }
}

extension VehicleSignals {
    /// These signals without the values that are outside their ranges.
    fileprivate var validated: VehicleSignals {
        VehicleSignals(
            source: source, received: received, wheelSpeedMetersPerSecond: wheelSpeedMetersPerSecond,
            odometerMeters: odometerMeters, isIgnitionOn: isIgnitionOn,
            engineRevolutionsPerMinute: engineRevolutionsPerMinute, batteryVolts: batteryVolts, fuelLevel: fuelLevel,
            stateOfCharge: stateOfCharge)
    }
}
