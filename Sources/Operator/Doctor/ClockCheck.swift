import Odograph
import CivilTime
import OdographModel
import Positioning

/// Checks the machine's clock.
enum ClockCheck {
    static func finding(_ now: ClockReading) -> Finding {
        let reading = "\(Format.time(now.systemTime)) UTC"
        if now.systemTime.millisecondsSinceEpoch < Build.earliestDateMilliseconds {
            return Finding(
                .fail, "clock", "\(reading) is before this agent was made",
                advice: "set the machine's clock: until then no certificate of a broker is valid")
        }
        guard now.isSystemTimeTrusted else {
            return Finding(
                .warn, "clock", "\(reading), not synchronised as far as the kernel knows",
                advice: "enable systemd-timesyncd or chrony; the agent takes the receiver's time meanwhile")
        }
        return Finding(.ok, "clock", "\(reading), synchronised")
    }
}
