import OdographJSON
import OdographTracking

/// The tracking settings: the program that embeds the agent can read and change each of them while the agent runs.
///
/// The program is the strongest level: its settings are merged over the file and the remote documents. They survive a
/// restart. The program cannot loosen private time, see <doc:Embedding>.
extension Agent {
    /// The tracking settings in force, of all levels. While the agent does not run: those of the file.
    public var trackingSettings: TrackingSettings {
        get async { await parts?.pipeline.settings ?? effectiveConfiguration.tracking }
    }

    /// Changes tracking settings, at once and for later starts.
    ///
    ///     try await agent.updateTrackingSettings { settings in
    ///         settings.schedule.expression = try Schedule("* 10-20 * * 1-5")
    ///         settings.schedule.offSchedule = OffScheduleRule(mode: .tag, tag: "after work")
    ///     }
    ///
    /// Each key that the function changes becomes a setting of the program. Other settings continue to follow the file
    /// and the remote documents. If the settings cannot be saved, they are in force, and ``currentProblems`` contains
    /// `configuration_not_saved`.
    /// - Parameter change: Changes the settings. It is called once, with the settings of all levels, without the extras
    ///   of ``setExtras(_:)``. The model parameters are no settings; a change of them has no effect.
    /// - Throws: ``AgentError/notRunning``; `ConfigurationError` if a value is out of range, loosens private time or
    ///   loosens the privacy of a locked file, or if the saved settings of the program are lost; `EncodingError` if a
    ///   number is not finite; the errors of `change`. No setting is changed then.
    public func updateTrackingSettings(
        _ change: @Sendable (inout TrackingSettings) throws -> Void
    ) async throws {
        guard let parts else { throw AgentError.notRunning }
        try await parts.remote.changeProgramSettings(change)
    }

    /// Removes all settings of the program: the file and the remote documents are in force again.
    /// - Throws: ``AgentError/notRunning``.
    public func resetTrackingSettings() async throws {
        guard let parts else { throw AgentError.notRunning }
        await parts.remote.resetProgramSettings()
    }

    /// Turns tracking on or off, like ``updateTrackingSettings(_:)`` with the setting `enabled`.
    /// - Throws: As ``updateTrackingSettings(_:)``.
    public func setTrackingEnabled(_ isOn: Bool) async throws {
        try await updateTrackingSettings { $0.core.isEnabled = isOn }
    }
}
