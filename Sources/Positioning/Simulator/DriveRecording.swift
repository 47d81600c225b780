import OdographCivilTime
import OdographGeodesy
import OdographJSON
import OdographModel
import OdographVehicleBus

/// A simulated drive as two recordings: a capture of gpsd's JSON, and a log of the vehicle's bus as `candump -l` writes
/// it. Both show the same truth. The receiver has noise, and nothing in tunnels; the bus has the speed of the wheels,
/// the vehicle's counter and the engine, and is silent soon after the engine is off.
package struct DriveRecording: Sendable {
    /// Control units send speed and engine so often in a second (SAE J1939-71).
    private static let ticksPerSecond = 10
    private static let idleRevolutionsPerMinute = 700.0
    private static let runningBatteryVolts = 27.6
    /// The full tank is enough for this distance, metres.
    private static let rangeMeters = 800_000.0
    /// The counter at the start, metres.
    private static let initialCounterMeters = 120_000_000.0
    /// The interface in the log.
    private static let interface = "can0"

    private var simulator: DriveSimulator
    private let counterScale: Double
    private var ticks = 0

    /// - Parameters:
    ///   - settings: The settings. Their rate is not used: there is a position each second.
    ///   - startTime: The time of the first position.
    ///   - counterScale: The ratio of the vehicle's counter and wheel speed to the truth, as worn tyres cause it.
    package init(_ settings: SimulatorSettings, startTime: Timestamp, counterScale: Double = 1) {
        var settings = settings
        settings.rateHertz = Double(Self.ticksPerSecond)
        simulator = DriveSimulator(settings, startTime: startTime)
        self.counterScale = counterScale
    }

    /// Returns the lines of the next tenth of a second, each with a line feed; nil at the end of the drive.
    package mutating func next() throws -> (capture: String, vehicleLog: String)? {
        guard let (time, reports) = simulator.nextTick() else { return nil }
        let isFullSecond = ticks.isMultiple(of: Self.ticksPerSecond)
        ticks += 1
        let capture = isFullSecond ? try Self.captureLine(at: time, reports) : ""
        return (capture, vehicleLog(at: time, isFullSecond: isFullSecond))
    }

    private static func captureLine(at time: Timestamp, _ reports: [SourceEvent.Content]) throws -> String {
        var members: [String: JSONValue] = [
            "class": .string("TPV"), "device": .string("simulator"), "time": .string(time.iso8601), "mode": .integer(1),
        ]
        for case .fix(let fix) in reports {
            members["mode"] = .integer(3)
            members["lat"] = .number(fix.coordinate.latitudeDegrees)
            members["lon"] = .number(fix.coordinate.longitudeDegrees)
            members["eph"] = fix.accuracyMeters.map { .number($0) }
            members["altMSL"] = fix.altitudeMeters.map { .number($0) }
            members["speed"] = fix.speedMetersPerSecond.map { .number($0) }
            members["eps"] = fix.speedAccuracyMetersPerSecond.map { .number($0) }
            members["track"] = fix.headingDegrees.map { .number($0) }
        }
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }

    private var engineRevolutionsPerMinute: Double {
        simulator.vehicle.isEngineRunning ? Self.idleRevolutionsPerMinute + 50 * simulator.vehicle.speed : 0
    }

    private func vehicleLog(at time: Timestamp, isFullSecond: Bool) -> String {
        let vehicle = simulator.vehicle
        guard vehicle.isBusAwake else { return "" }
        let distance = simulator.distanceMeters
        let bus = J1939Frames(
            wheelSpeedMetersPerSecond: vehicle.speed * counterScale,
            odometerMeters: Self.initialCounterMeters + distance * counterScale,
            engineRevolutionsPerMinute: engineRevolutionsPerMinute,
            fuelLevel: 1 - (distance / Self.rangeMeters).truncatingRemainder(dividingBy: 1),
            batteryVolts: Self.runningBatteryVolts)
        return (bus.fast + (isFullSecond ? bus.slow : [])).map { frame in
            CandumpLine(time: time, interface: Self.interface, frame: frame).text + "\n"
        }.joined()
    }
}
