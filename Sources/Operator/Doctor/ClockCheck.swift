import Odograph
import OdographCivilTime
import OdographModel
import OdographPositioning

/// Checks the machine's clock.
enum ClockCheck {
    static func finding(_ now: ClockReading) -> Finding {
        let reading = "\(Format.time(now.systemTime)) UTC"
        if now.systemTime.millisecondsSinceEpoch < Build.earliestDateMilliseconds {
            return Finding(
                .fail, "clock", "\(reading) is earlier than the release of this agent",
                advice: "set the machine's clock; until then every broker certificate is invalid")
        }
        guard now.isSystemTimeTrusted else {
            return Finding(
                .warn, "clock", "\(reading), not synchronised, according to the kernel",
                advice: "enable systemd-timesyncd or chrony; until then the agent uses the receiver's time")
        }
        return Finding(.ok, "clock", "\(reading), synchronised")
    }
}
