import CivilTime

/// The geofences in force reach the tracker beside its inputs: a set is too large for the journal of inputs, and for the
/// saved state.
///
/// Whoever runs the tracker keeps the set in a file. After a state was loaded, the set that it is of
/// (``geofenceIdentity``) is handed over with ``adoptGeofences(_:zone:)`` before any journal is replayed. A new set comes
/// with ``replaceGeofences(_:zone:at:)``, and then the state is to be saved whole in the commit that has its records, so
/// that no journal spans two sets; the old file goes when that is done.
extension Tracker {
    /// The `GeofenceSet.identity` of the set that the state is of; 0: no geofences.
    public var geofenceIdentity: UInt64 { geofences.identity }

    /// The geofences in force.
    public var geofencesInForce: GeofenceSet { geofences.fences }

    /// Gives a loaded state the set that it is of. Until then no fence is watched, and what is known of them is kept.
    /// - Parameter zone: whose wall clock the schedules of fences are on.
    /// - Returns: whether the set is the one that the state is of; if not, nothing has changed, and
    ///   ``replaceGeofences(_:zone:at:)`` makes it the one in force.
    public mutating func adoptGeofences(_ set: GeofenceSet, zone: ZoneRules) -> Bool {
        geofences.adopt(set, zone: zone)
    }

    /// Another set of geofences is in force from now on.
    ///
    /// A fence of the same identifier and shape goes on as it was. A vehicle inside a fence that is gone leaves it at once;
    /// inside a new one, or one with another shape, it is found with the next fixes.
    /// - Returns: the records to commit, together with the whole state.
    public mutating func replaceGeofences(
        _ set: GeofenceSet, zone: ZoneRules, at moment: Moment
    ) -> [TrackerOutput] {
        geofences.replace(with: set, zone: zone)
        return []
    }
}
