import Glibc
import OdographCivilTime
import OdographModel
import OdographPositioning
import OdographVehicleBus

/// Prints the events of a source of signals, one on a line, until it is killed; or writes a log of a drive.
///
///     VehicleBusProbe j1939 INTERFACE
///     VehicleBusProbe obd INTERFACE [request]
///     VehicleBusProbe elm327 DEVICE
///     VehicleBusProbe drive             writes a short drive in the format of candump
@main
struct VehicleBusProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.dropFirst(2).first) {
        case ("drive", nil): writeDrive()
        case ("j1939", let interface?): await listen(to: interface, .j1939, isRequesting: false)
        case ("obd", let interface?):
            await listen(to: interface, .obd, isRequesting: arguments.last == "request")
        case ("elm327", let device?):
            var settings = ELM327Settings(device: device)
            settings.maximumRetrySeconds = 1
            await listen(to: ELM327Source(settings, clock: SystemAgentClock()))
        default: exit(EX_USAGE)
        }
    }

    private static func listen(
        to interface: String, _ busProtocol: CANSettings.BusProtocol, isRequesting: Bool
    ) async {
        var settings = CANSettings(interface: interface)
        settings.protocol = busProtocol
        settings.isRequesting = isRequesting
        settings.maximumRetrySeconds = 1
        await listen(to: CANSource(settings, clock: SystemAgentClock()))
    }

    private static func listen(to source: any VehicleSignalSource) async {
        for await event in source.events() {
            print(line(of: event))
            // The output is a file, which is read at once.
            fflush(nil)
        }
    }

    private static func line(of event: VehicleSignalEvent) -> String {
        switch event {
        case .unavailable(let detail): return "unavailable: \(detail)"
        case .signals(let signals):
            let values: [(String, Double?)] = [
                ("speed", signals.wheelSpeedMetersPerSecond), ("odometer", signals.odometerMeters),
                ("ignition", signals.isIgnitionOn.map { $0 ? 1 : 0 }), ("engine", signals.engineRevolutionsPerMinute),
                ("volts", signals.batteryVolts), ("fuel", signals.fuelLevel),
            ]
            return (["signals"] + values.compactMap { name, value in value.map { "\(name)=\($0)" } })
                .joined(separator: " ")
        }
    }

    /// A drive of 16 s with a halt at both ends and up to 10 m/s.
    private static func writeDrive() {
        var odometer = 123_456_000.0
        for step in 0..<160 {
            let seconds = Double(step) / 10
            let speed = max(0, min((seconds - 2) * 2.5, 10, (14 - seconds) * 2.5))
            odometer += speed / 10
            let bus = J1939Frames(
                wheelSpeedMetersPerSecond: speed, odometerMeters: odometer,
                engineRevolutionsPerMinute: 600 + speed * 40, fuelLevel: 0.5, batteryVolts: 27.5)
            let time = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + Int64(step) * 100)
            for frame in bus.fast + (step % 10 == 0 ? bus.slow : []) {
                print(CandumpLine(time: time, interface: "vcan0", frame: frame).text)
            }
        }
    }
}
