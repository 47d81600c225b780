import OdographCivilTime
import OdographJSON
import OdographModel
import OdographPositioning
import OdographWire

/// The commands of programs on the vehicle.
extension CommandHandler {
    /// The keys of `set_signals` that are signals.
    private static let signalNames: Set<String> = [
        "speed", "odometer", "ignition", "engine_speed", "battery_voltage", "fuel_level", "state_of_charge",
    ]

    /// Executes a command that only programs on the vehicle may send.
    func program(_ request: CommandRequest) async throws -> CommandResponse {
        switch request.action {
        case .setDriver: try await setDriver(request)
        case .setTag: try await setTag(request)
        default: try await setSignals(request)
        }
    }

    private func setDriver(_ request: CommandRequest) async throws -> CommandResponse {
        let driver = try request.name("driver", longest: DriverLog.longestName)
        try await pipeline.setDriver(driver, isPersistent: try request.flag("persist", default: false))
        return request.success(["driver": .stringOrNull(driver)])
    }

    private func setTag(_ request: CommandRequest) async throws -> CommandResponse {
        let name = try request.name("tag", longest: ProgramTag.longestName)
        let isPrivate = try request.flag("private", default: false)
        let isPersistent = try request.flag("persist", default: false)
        guard name != nil || !isPrivate else {
            throw CommandError(message: "private time needs \"tag\", a name; without \"private\", null ends it")
        }
        try await remote.setTag(name.map { ProgramTag(name: $0, isPrivate: isPrivate) }, isPersistent: isPersistent)
        return request.success(["tag": .stringOrNull(name), "private": .bool(isPrivate)])
    }

    private func setSignals(_ request: CommandRequest) async throws -> CommandResponse {
        func value(_ key: String, _ range: ValidRange) throws -> Double? {
            request.parameters[key] == nil ? nil : try request.number(key, default: nil, in: range.range)
        }
        var signals = VehicleSignals(
            source: .program,
            // The pipeline sets the time of the reception.
            received: clock.now(),
            wheelSpeedMetersPerSecond: try value("speed", .wheelSpeed),
            odometerMeters: try value("odometer", .vehicleOdometer),
            engineRevolutionsPerMinute: try value("engine_speed", .engineSpeed),
            batteryVolts: try value("battery_voltage", .batteryVoltage),
            fuelLevel: try value("fuel_level", .charge), stateOfCharge: try value("state_of_charge", .charge))
        if request.parameters["ignition"] != nil {
            signals.isIgnitionOn = try request.flag("ignition", default: false)
        }
        let isPersistent = try request.flag("persist", default: false)
        guard !signals.isEmpty else {
            throw CommandError(
                message: "set_signals needs one of speed, odometer, ignition, engine_speed, battery_voltage, "
                    + "fuel_level, state_of_charge")
        }
        try await pipeline.receive(fromProgram: signals, isPersistent: isPersistent)
        let names = request.parameters.keys.filter { Self.signalNames.contains($0) }.sorted()
        return request.success(["signals": .array(names.map { .string($0) })])
    }
}
