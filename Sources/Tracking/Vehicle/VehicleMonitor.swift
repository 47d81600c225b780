import OdographCivilTime
import OdographModel

/// The values that the vehicle reports, and the starts and stops that follow from them.
struct VehicleMonitor: Equatable, Sendable, Codable {
    /// The time for which the wheels must turn before the vehicle has departed, seconds: one reading can be an error.
    private static let departureSeconds = 1.0
    /// The speed from which the wheels turn, m/s.
    private static let turningMetersPerSecond = 0.5

    private var readings: SignalReadings
    private(set) var wheels: WheelCheck
    private var carriage: Carriage
    /// The counter at the beginning of the time for which it stands, metres; nil if there is none.
    private var standingCounterMeters: Double?
    /// Whether the engine has run.
    private var hasEngineRun: Bool
    private var battery: LowVoltageBattery
    /// The time of the monotonic clock at the last input, milliseconds.
    private var uptimeMilliseconds: Int64
    /// The start of the time for which the wheels turn, or stand; nil while that is not known.
    private var turningSince: Timestamp?
    private var standingSince: Timestamp?
    /// The time at which the ignition was turned off; nil while it is on or not known.
    private var ignitionOffSince: Timestamp?

    init() {
        (readings, wheels, battery) = (SignalReadings(), WheelCheck(), LowVoltageBattery())
        (carriage, standingCounterMeters, hasEngineRun) = (Carriage(), nil, false)
        uptimeMilliseconds = 0
    }

    /// The values that are known now; nil for none.
    var status: VehicleStatus? {
        var known = readings
        // A speed that is not believed is not published either.
        if !wheels.isTrusted { known.wheelSpeed = nil }
        return VehicleStatus(known, atUptimeMilliseconds: uptimeMilliseconds)
    }

    /// The vehicle's battery; nil if its charge is not known.
    var vehicleBattery: Battery? {
        readings.fresh(at: uptimeMilliseconds).batteryVolts == nil ? nil : battery.state
    }

    /// The speed of the wheels, if it is known and believed, m/s.
    var wheelSpeedMetersPerSecond: Double? {
        wheels.isTrusted ? readings.fresh(at: uptimeMilliseconds).wheelSpeed?.value : nil
    }

    /// Whether the wheels turn; nil if their speed is not known or not believed.
    var areWheelsTurning: Bool? { wheelSpeedMetersPerSecond.map { $0 >= Self.turningMetersPerSecond } }

    /// Whether the vehicle is used: its ignition is on, or a speed of the wheels is reported, believed or not.
    var isUsed: Bool {
        let known = readings.fresh(at: uptimeMilliseconds)
        return known.ignition?.value == true
            || known.wheelSpeed.map { $0.value >= Self.turningMetersPerSecond } ?? false
    }

    /// Whether the engine runs; of a vehicle that does not report its engine, whether the ignition is on. Nil if
    /// neither is known.
    var isEngineRunning: Bool? {
        let known = readings.fresh(at: uptimeMilliseconds)
        if let speed = known.engineSpeed?.value { return speed >= Self.slowestRunningRevolutionsPerMinute }
        return known.ignition?.value
    }

    /// Whether the wheels certainly stand, and the vehicle is not carried. Noisy satellites do not contradict them once
    /// both saw the vehicle at rest.
    var isStanding: Bool {
        guard let speed = wheelSpeedMetersPerSecond, speed < WheelCheck.standingMetersPerSecond else { return false }
        return carriage.hasRested ? !carriage.isCarried : !wheels.isContradicted
    }

    /// Whether the vehicle is carried.
    var isCarried: Bool { carriage.isCarried }

    /// The start of the stand on which the vehicle is carried; nil if there is none.
    var carriedSince: Timestamp? { carriage.since }

    /// The evidence of the signals about a stand.
    var stand: VehicleStand {
        if carriage.isCarried { return .carried }
        switch carriage.evidence {
        case .none: return .none
        case .signals: return .undecided
        case .wheels: return isStanding ? .standing : .none
        }
    }

    /// The least number of signals that say that the vehicle stands, if none of them is believed.
    private static let leastStandingSignals = 3

    /// The evidence that the vehicle stands.
    private var standEvidence: Carriage.Evidence {
        let known = readings.fresh(at: uptimeMilliseconds)
        let areStanding = known.wheelSpeed.map { $0.value < WheelCheck.standingMetersPerSecond }
        if areStanding == false { return .none }
        if areStanding == true, wheels.isTrusted { return .wheels }
        let isEngineOff = known.engineSpeed.map { $0.value < Self.slowestRunningRevolutionsPerMinute } ?? false
        let isIgnitionOff = known.ignition?.value == false
        let isCounterStanding = known.odometer.map { $0.value == standingCounterMeters } ?? false
        let count = [areStanding ?? false, isEngineOff, isIgnitionOff, isCounterStanding].count { $0 }
        return count >= Self.leastStandingSignals ? .signals(isCertain: hasEngineRun || isIgnitionOff) : .none
    }

    /// The start of a drive that the wheels show; nil for none.
    func departure(at now: Timestamp) -> Timestamp? {
        guard let turningSince, now.seconds(since: turningSince) >= Self.departureSeconds else { return nil }
        return turningSince
    }

    /// The start of a stop that the ignition shows: the vehicle stands and the ignition is off; nil for none.
    /// - Parameter fixSpeed: the speed of the newest fix, m/s, in case the wheels are not known.
    func stop(fixMetersPerSecond fixSpeed: Double?) -> Timestamp? {
        guard let off = ignitionOffSince, readings.fresh(at: uptimeMilliseconds).ignition?.value == false else {
            return nil
        }
        if wheelSpeedMetersPerSecond != nil { return isStanding ? standingSince : nil }
        // A car without wheel speeds coasts at most for seconds with the ignition off.
        return fixSpeed.map { $0 < Self.slowestFixMetersPerSecond } ?? false ? off : nil
    }

    /// The speed of a fix of a vehicle that can stand, m/s.
    static let slowestFixMetersPerSecond = 1.0
    /// The speed from which an engine runs, revolutions per minute: a large diesel idles at 500.
    private static let slowestRunningRevolutionsPerMinute = 200.0

    /// Notes the time.
    mutating func observe(_ moment: ClockReading) { uptimeMilliseconds = moment.uptimeMilliseconds }

    /// Takes signals. An impossible speed of the wheels is dropped.
    /// - Parameter now: the tracker's time.
    /// - Returns: the signals that are believed.
    mutating func update(with reported: VehicleSignals, at now: Timestamp) -> VehicleSignals {
        var signals = reported
        let received = signals.received.uptimeMilliseconds
        if readings.fresh(at: received).wheelSpeed == nil {
            wheels.interrupt()
            (turningSince, standingSince) = (nil, nil)
        }
        if let speed = signals.wheelSpeedMetersPerSecond {
            let reading = SignalReading(value: speed, source: signals.source, uptimeMilliseconds: received)
            if !wheels.accept(reading) { signals.wheelSpeedMetersPerSecond = nil }
        }
        readings.update(with: signals)
        noteStand(signals)
        if let volts = signals.batteryVolts { battery.update(volts: volts) }
        if let isOn = signals.isIgnitionOn { ignitionOffSince = isOn ? nil : ignitionOffSince ?? now }
        guard wheels.isTrusted else {
            (turningSince, standingSince) = (nil, nil)
            signals.wheelSpeedMetersPerSecond = nil
            return signals
        }
        if let speed = signals.wheelSpeedMetersPerSecond {
            turningSince = speed >= Self.turningMetersPerSecond ? turningSince ?? now : nil
            standingSince = speed < WheelCheck.standingMetersPerSecond ? standingSince ?? now : nil
        }
        return signals
    }

    /// Notes what shows later that signals work, and that the counter counts.
    private mutating func noteStand(_ signals: VehicleSignals) {
        if let speed = signals.engineRevolutionsPerMinute, speed >= Self.slowestRunningRevolutionsPerMinute {
            hasEngineRun = true
        }
        guard let meters = signals.odometerMeters, meters != standingCounterMeters else { return }
        if standingCounterMeters != nil, !wheels.isTrusted { carriage = Carriage() }
        standingCounterMeters = meters
    }

    /// Compares the signals with an accepted fix.
    mutating func compare(with fix: Fix) {
        wheels.compare(with: fix)
        carriage.update(with: fix, evidence: standEvidence)
    }
}
