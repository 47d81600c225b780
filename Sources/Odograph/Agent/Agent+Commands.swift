import OdographJSON
import OdographModel
import OdographWire

/// The commands to an agent. Its state is in `Agent+Observing.swift`.
extension Agent {
    /// Sets the odometer and resets its error to 0. Does nothing while the agent does not run.
    /// - Parameter meters: Within ``OdometerReading/settableMeters``. Another value is ignored.
    public func setOdometer(toMeters meters: Double) async {
        guard OdometerReading.settableMeters.contains(meters) else { return }
        await parts?.pipeline.setOdometer(meters: meters)
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

    /// Sets the driver of records from now on, as the command `set_driver` does.
    /// - Parameters:
    ///   - driver: 1 to 200 characters; nil for none.
    ///   - persists: Whether the driver stays after a restart.
    /// - Throws: ``AgentError/notRunning``; `StoreError` if the driver is to persist and cannot be saved. The earlier
    ///   driver then stays.
    public func setDriver(_ driver: String?, persists: Bool = false) async throws {
        guard let parts else { throw AgentError.notRunning }
        try await parts.pipeline.setDriver(driver, isPersistent: persists)
    }

    /// Sets the tag of records from now on, or begins or ends private time, as the command `set_tag` does.
    /// - Parameters:
    ///   - tag: 1 to 64 characters; nil for none, which also ends private time.
    ///   - isPrivate: Whether the time is private: no position is stored or sent. It stays so after a restart.
    ///   - persists: Whether a tag that is not private stays after a restart.
    /// - Throws: ``AgentError/notRunning``; an error if the change cannot be saved. Private time then begins all the
    ///   same, and does not end.
    public func setTag(_ tag: String?, isPrivate: Bool = false, persists: Bool = false) async throws {
        guard let parts else { throw AgentError.notRunning }
        try await parts.remote.setTag(
            tag.map { ProgramTag(name: $0, isPrivate: isPrivate) }, isPersistent: persists)
    }

    /// Reports signals of the vehicle, as the command `set_signals` does. A speed is valid for 3 s, the ignition until
    /// its next report, and another value for 10 minutes.
    /// - Parameters:
    ///   - signals: The signals, with the source `program`. The agent sets the time of their reception.
    ///   - persists: Whether they are used again after a restart; never a speed.
    /// - Throws: ``AgentError/notRunning``; `StoreError` if they are to persist and cannot be saved. They are then in
    ///   force all the same.
    public func setSignals(_ signals: VehicleSignals, persists: Bool = false) async throws {
        guard let parts else { throw AgentError.notRunning }
        try await parts.pipeline.receive(fromProgram: signals, isPersistent: persists)
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
        await parts?.pipeline.setOffScheduleOverride(isLocked ? nil : shouldTrackOutsideSchedule)
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
        await parts?.pipeline.currentPosition(
            samples: max(samples, 1), timeoutSeconds: timeoutSeconds > 0 ? min(timeoutSeconds, 86_400) : 0,
            isPersisted: isPersisted)
    }
}
