import OdographModel
import OdographPositioning

/// The time of a recording: that of the machine, or in a replay that of the source.
struct RecordingTime: Sendable {
    let clock: any AgentClock
    /// Whether the time is the source's (a replay), not the machine's.
    let usesVirtualTime: Bool
    /// The identifier of the machine's boot, in which the monotonic clock began. nil if there is none.
    let boot: String?
    /// The time of the last input. nil before the first input of this run.
    var lastInput: ClockReading?

    /// The current time of the recording. A replay has the time of its last input.
    var now: ClockReading { usesVirtualTime ? lastInput ?? clock.now() : clock.now() }

    /// The machine's monotonic clock, milliseconds. It decides when something falls due, also in a replay.
    var uptimeMilliseconds: Int64 { clock.now().uptimeMilliseconds }

    /// The capture time of the records of the last input, on the machine's monotonic clock. nil before the first input.
    var captureUptimeMilliseconds: Int64? { usesVirtualTime ? uptimeMilliseconds : lastInput?.uptimeMilliseconds }
}
