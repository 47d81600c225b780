import OdographJSON
import Wire

/// What an agent can be told. What it knows is in `Agent+Listening.swift`.
extension Agent {
    /// Sets the odometer; its error begins again at 0. Nothing happens while the agent does not run.
    /// - Parameter meters: within ``OdometerReading/settableMeters``; another value is not taken.
    public func setOdometer(_ meters: Double) async {
        guard OdometerReading.settableMeters.contains(meters) else { return }
        await parts?.recorder.setOdometer(meters: meters)
    }

    /// Turns tracking on or off, over what the configuration says, until the agent is started anew. Nothing
    /// happens while it does not run.
    public func setTracking(_ isOn: Bool) async {
        await parts?.remote.overrideTracking(isOn)
    }

    /// Hangs something on every record from now on, over the configuration's extras and in place of what was hung before; it
    /// is kept for the next start. Nothing happens while the agent does not run.
    /// - Parameter extras: laid over the others by their keys, where `null` takes one away; empty: nothing.
    /// - Throws: `StoreError` where it cannot be kept, `EncodingError` where a number is not finite. What was hung before
    ///   stays then.
    public func setExtras(_ extras: [String: JSONValue]) async throws {
        _ = try await parts?.remote.setExtras(extras)
    }

    /// Has somebody asked whether to track although the schedule is closed, in mode `stop`: as it closes, as the agent
    /// starts, and with each position from then on, so that the answer may change. nil asks nobody. What is recorded on a
    /// yes has the tag of `off_schedule`. In mode `private` nobody is asked: that is a promise to the driver.
    ///
    /// - Parameter question: called on the store's thread, up to several times a second, so it must be quick.
    public func setShouldTrackOutsideSchedule(_ question: (@Sendable () -> Bool)?) async {
        shouldTrackOutsideSchedule = question
        await parts?.recorder.setOffScheduleOverride(question)
    }

    /// Takes samples and gives the best.
    /// - Parameters:
    ///   - samples: how many are compared, ≥ 1; a very good one ends the request at once.
    ///   - timeoutSeconds: the best so far is the answer after this long, 0 to 86,400; more is taken as a day.
    ///   - isPersisted: whether the answer is also recorded and published.
    /// - Returns: nil where no acceptable position came in time, or the agent does not run.
    public func currentPosition(
        samples: Int = 3, timeoutSeconds: Double = 30, isPersisted: Bool = true
    ) async -> LocationEvent? {
        await parts?.recorder.currentPosition(
            samples: max(samples, 1), timeoutSeconds: timeoutSeconds > 0 ? min(timeoutSeconds, 86_400) : 0,
            isPersisted: isPersisted)
    }
}
