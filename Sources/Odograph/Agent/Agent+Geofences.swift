import OdographModel

/// The geofences: those of the broker, and those that the program adds without a broker.
///
/// The program is the strongest level: its geofence replaces one with the same identifier of another level. Its
/// geofences survive a restart.
extension Agent {
    /// The geofences in force, of all levels, by ascending identifier. Empty while the agent does not run. In private
    /// time the vehicle is in none of them.
    public var geofences: [ListedGeofence] {
        get async {
            guard let parts else { return [] }
            return GeofenceListing(
                await parts.geofences.levels, address: configuration.address,
                inside: await parts.pipeline.geofencesInside, after: nil, limit: .max
            ).geofences
        }
    }

    /// The geofences that the program has added, by ascending identifier. Empty while the agent does not run.
    public var programGeofences: [ListedGeofence] {
        get async {
            let level = configuration.address.topicComponent(for: .program)
            return await geofences.filter { $0.level == level }
        }
    }

    /// Adds geofences, at once and for later starts, or replaces those of the program with the same identifiers.
    ///
    /// If they cannot be saved, they are in force, and ``currentProblems`` contains `geofences_not_saved`.
    /// - Parameter geofences: With the program's other geofences at most 10,000.
    /// - Throws: ``AgentError/notRunning``; `ConfigurationError` if a geofence is invalid, or if they are too many.
    ///   No geofence is added then.
    public func addGeofences(_ geofences: [Geofence]) async throws {
        guard let parts else { throw AgentError.notRunning }
        try await parts.geofences.add(geofences)
    }

    /// Removes geofences that the program has added. Other identifiers are ignored: the program cannot remove geofences
    /// of the broker.
    /// - Throws: ``AgentError/notRunning``.
    public func removeGeofences(withIdentifiers identifiers: [String]) async throws {
        guard let parts else { throw AgentError.notRunning }
        await parts.geofences.remove(identifiers)
    }
}
