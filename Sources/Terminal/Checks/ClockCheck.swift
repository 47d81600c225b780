import OdographCivilTime
import OdographSettings

/// Checks the machine's clock.
package enum ClockCheck {
    /// Returns the finding for the system's clock.
    /// - Parameter consequence: The effect of a clock that is not synchronised, after "until then".
    package static func finding(consequence: String) -> Finding {
        finding(.now, isSynchronized: SystemClock.isSynchronized, consequence: consequence)
    }

    /// Returns the finding for a time of the clock.
    static func finding(_ now: Timestamp, isSynchronized: Bool, consequence: String) -> Finding {
        let reading = "\(Format.time(now)) UTC"
        if now.millisecondsSinceEpoch < Build.earliestDateMilliseconds {
            return Finding(
                .fail, "clock", "\(reading) is earlier than the release of this version",
                advice: "set the machine's clock; until then every broker certificate is invalid")
        }
        guard isSynchronized else {
            return Finding(
                .warn, "clock", "\(reading), not synchronised, according to the kernel",
                advice: "enable systemd-timesyncd or chrony; until then \(consequence)")
        }
        return Finding(.ok, "clock", "\(reading), synchronised")
    }
}
