import Tracking

/// The geofences in force.
///
/// The set that a saved state is of must be found again at the next start, so a new one is on the disk before it is
/// applied, beside the old one, which may go when ``apply(_:)-(GeofenceSet)`` has come back.
extension Recorder {
    /// The geofences in force.
    var geofences: GeofenceSet { tracker.geofencesInForce }

    /// The identifiers of the geofences that the vehicle is in, ascending.
    var geofencesInside: [String] { tracker.geofencesInside }

    /// The `GeofenceSet.identity` of the set that the saved state is of.
    var geofenceIdentity: UInt64 { tracker.geofenceIdentity }

    /// Another set of geofences is in force from now on; nothing happens where it is the same.
    /// - Returns: whether the state that is of it is on the disk. Where it is not, it will be with the next commit that
    ///   succeeds, and until then both sets are to be kept.
    @discardableResult
    func apply(_ geofences: GeofenceSet) -> Bool {
        guard geofences.identity != tracker.geofenceIdentity || geofences.count != self.geofences.count else {
            return !ledger.hasFailed
        }
        put(geofences)
        return !ledger.hasFailed
    }

    /// Gives a loaded state its set, before the inputs since are handled again.
    func adoptGeofences(_ kept: (_ identity: UInt64) -> GeofenceSet?) {
        let identity = tracker.geofenceIdentity
        guard identity != 0 else { return }
        guard let set = kept(identity), tracker.adoptGeofences(set, zone: settings.schedule.zone) else {
            return noteMissingGeofences()
        }
    }

    /// The schedules of fences are on the wall clock of the tracking schedule.
    func renewGeofenceZone() {
        if geofences.count > 0 { put(geofences) }
    }

    private func put(_ geofences: GeofenceSet) {
        for output in tracker.replaceGeofences(geofences, zone: settings.schedule.zone, at: now()) { dispatch(output) }
        // The journal must not span two sets.
        ledger.wantsSnapshot = true
        commit()
        scheduleWakeUp()
    }
}
