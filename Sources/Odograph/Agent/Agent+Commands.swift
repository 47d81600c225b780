import OdographJSON
import OdographWire

/// The commands to an agent. Its state is in `Agent+Observing.swift`.
extension Agent {
    /// Sets the odometer and resets its error to 0. Does nothing while the agent does not run.
    /// - Parameter meters: Within ``OdometerReading/settableMeters``. Another value is ignored.
    public func setOdometer(toMeters meters: Double) async {
        guard OdometerReading.settableMeters.contains(meters) else { return }
        await parts?.recorder.setOdometer(meters: meters)
    }

    /// Sets the extras that every record carries from now on, in addition to the configured ones. They replace the
    /// extras of the last call, or of the command `set_extras`, and survive a restart.
    /// - Parameter extras: They are merged into the configured extras by key. A `null` removes the key. An empty
    ///   dictionary adds nothing.
    /// - Throws: ``AgentError/notRunning``; `StoreError` if they cannot be saved; `EncodingError` if a number is not
    ///   finite. The earlier extras then stay in force.
    public func setExtras(_ extras: [String: JSONValue]) async throws {
        guard let parts else { throw AgentError.notRunning }
        _ = try await parts.remote.setExtras(extras)
    }

    /// Sets a function that decides whether to track while the schedule is closed in mode `stop`. nil removes it.
    ///
    /// The agent calls the function when the schedule closes, when the agent starts, and with each position after that,
    /// so the answer may change. Records made because of a `true` carry the tag of `off_schedule`. In mode `private`
    /// and with a locked file (`privacy.locked`), the function is not called: private time is a promise to the driver.
    /// - Parameter question: Called on the store's thread, up to several times a second, so it must be quick.
    public func setShouldTrackOutsideSchedule(_ question: (@Sendable () -> Bool)?) async {
        shouldTrackOutsideSchedule = question
        await applyOffScheduleOverride()
    }

    /// Puts the function into force, unless the file is locked.
    func applyOffScheduleOverride() async {
        let isLocked = effectiveConfiguration.isPrivacyLocked
        await parts?.recorder.setOffScheduleOverride(isLocked ? nil : shouldTrackOutsideSchedule)
    }

    /// Takes samples and returns the best one.
    /// - Parameters:
    ///   - samples: The number of samples to compare, ≥ 1. A sample of 10 m or better ends the request at once.
    ///   - timeoutSeconds: The time after which the best sample so far is returned, 0 to 86,400 s. Larger values count
    ///     as 86,400.
    ///   - isPersisted: Whether the position is also recorded and published.
    /// - Returns: nil if no acceptable position arrived in time, or if the agent does not run.
    public func currentPosition(
        samples: Int = 3, timeoutSeconds: Double = 30, isPersisted: Bool = true
    ) async -> LocationEvent? {
        await parts?.recorder.currentPosition(
            samples: max(samples, 1), timeoutSeconds: timeoutSeconds > 0 ? min(timeoutSeconds, 86_400) : 0,
            isPersisted: isPersisted)
    }
}
