import Glibc
import Odograph
import OdographModel
import OdographPositioning
import OdographTerminal
import OdographThreads

/// Checks the sources of the vehicle's signals. It sends nothing on the vehicle's bus.
struct VehicleCheck {
    private let configuration: VehicleConfiguration
    private let waitSeconds: Double

    init(_ configuration: VehicleConfiguration, waitSeconds: Double) {
        self.configuration = configuration
        self.waitSeconds = waitSeconds
    }

    /// Returns one finding for each configured source.
    func findings() async -> [Finding] {
        var findings: [Finding] = []
        for source in configuration.sources {
            switch source {
            case .can(let settings): findings.append(await finding(settings))
            case .elm327(let settings): findings.append(Self.finding(settings))
            }
        }
        return findings
    }

    private func finding(_ settings: CANSettings) async -> Finding {
        var settings = settings
        settings.isRequesting = false
        let source = CANSource(settings, clock: SystemAgentClock())
        let event = await Task.withTimeout(afterSeconds: waitSeconds) { () -> VehicleSignalEvent? in
            for await event in source.events() { return event }
            return nil
        }
        switch event {
        case .signals?:
            return Finding(.ok, "vehicle", "\(settings.protocol.rawValue) on \(settings.interface)")
        case .unavailable(let detail)?: return Finding(.fail, "vehicle", sentence: detail)
        case nil:
            return Finding(
                .warn, "vehicle",
                "\(settings.interface): no signals of \(settings.protocol.rawValue) in \(Int(waitSeconds)) s",
                advice: settings.protocol == .obd
                    ? "the agent itself must request them; see odograph status"
                    : "switch the ignition on; otherwise check the wiring and the bit rate")
        }
    }

    /// The adapter serves one program at a time, so it is not opened.
    private static func finding(_ settings: ELM327Settings) -> Finding {
        guard access(settings.device, R_OK | W_OK) != 0 else {
            return Finding(.ok, "vehicle", "ELM327 at \(settings.device), not opened")
        }
        return Finding(
            .fail, "vehicle", "\(settings.device): \(String(cString: strerror(errno)).lowercased())",
            advice: "connect the adapter, or correct vehicle.elm327.device and its permissions")
    }
}
