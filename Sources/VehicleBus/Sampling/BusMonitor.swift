import OdographModel

/// Decides from the signals whether silence of the vehicle is normal.
///
/// The control units of a vehicle stop sending some time after the ignition is switched off. So silence after a
/// standstill without engine means that the ignition is off. Silence at speed or with a running engine is a fault.
struct BusMonitor {
    /// The silence that counts on a bus whose control units send without requests, milliseconds. The groups that are
    /// read have periods up to 1 s.
    static let broadcastSilenceMilliseconds: Int64 = 5000
    /// The speed of an engine above which it runs, revolutions per minute. Starters turn it with 200 or less.
    static let runningRevolutionsPerMinute = 300.0

    private let name: String
    private let silenceMilliseconds: Int64
    private var lastUptimeMilliseconds: Int64
    private var state: VehicleBusEvent.State?
    private var lostDetail: String?
    private var isMoving = false
    private(set) var isEngineRunning = false

    /// Begins to wait for signals.
    /// - Parameters:
    ///   - name: The name of the source in messages.
    ///   - silenceMilliseconds: The silence that counts.
    init(name: String, uptimeMilliseconds: Int64, silenceMilliseconds: Int64) {
        self.name = name
        self.silenceMilliseconds = silenceMilliseconds
        lastUptimeMilliseconds = uptimeMilliseconds
    }

    /// The time at which the silence counts, milliseconds; nil if it already does.
    var deadlineUptimeMilliseconds: Int64? {
        state == .available || state == nil ? lastUptimeMilliseconds + silenceMilliseconds : nil
    }

    /// Handles the wheel speed, m/s.
    mutating func observe(wheelSpeedMetersPerSecond speed: Double) { isMoving = speed > 0 }

    /// Handles the speed of the engine.
    mutating func observe(engineRevolutionsPerMinute speed: Double) {
        isEngineRunning = speed > Self.runningRevolutionsPerMinute
    }

    /// Handles a message of the vehicle.
    mutating func receive(at moment: ClockReading) -> VehicleBusEvent? {
        lastUptimeMilliseconds = moment.uptimeMilliseconds
        return change(to: .available, at: moment, detail: "\(name) provides signals of the vehicle")
    }

    /// Handles an unusable source, with the reason.
    mutating func fail(because reason: String, at moment: ClockReading) -> VehicleBusEvent? {
        change(to: .lost, at: moment, detail: "\(name) provides no signals of the vehicle: \(reason)")
    }

    /// Handles the passing of time.
    /// - Returns: The event, and whether the ignition has been switched off.
    mutating func checkSilence(at moment: ClockReading) -> (event: VehicleBusEvent?, isSwitchedOff: Bool) {
        guard let deadline = deadlineUptimeMilliseconds, moment.uptimeMilliseconds >= deadline else {
            return (nil, false)
        }
        let seconds = silenceMilliseconds / 1000
        if state == .available, isMoving || isEngineRunning {
            let situation = isMoving ? "while the vehicle was moving" : "while the engine was running"
            return (fail(because: "silent for \(seconds) s \(situation); check the wiring", at: moment), false)
        }
        let isSwitchedOff = state == .available
        let detail =
            isSwitchedOff
            ? "\(name) is silent: the vehicle is switched off"
            : "\(name) has been silent for \(seconds) s: the vehicle is off, or the wiring or the bit rate is wrong"
        return (change(to: .silent, at: moment, detail: detail), isSwitchedOff)
    }

    private mutating func change(
        to new: VehicleBusEvent.State, at moment: ClockReading, detail: String
    ) -> VehicleBusEvent? {
        // A new reason of a failure is reported too: an adapter that is unplugged is down first.
        guard state != new || new == .lost && detail != lostDetail else { return nil }
        state = new
        lostDetail = new == .lost ? detail : nil
        if new != .available { (isMoving, isEngineRunning) = (false, false) }
        return .state(new, at: moment, detail: detail)
    }
}
