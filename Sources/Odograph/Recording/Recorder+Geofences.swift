import Logging
import OdographTracking

/// The geofences in force.
///
/// The next start must find the set of the saved state, which stays the old set until the next commit succeeds.
/// Therefore the caller saves a new set before it applies it, and also keeps the one before it.
extension Recorder {
    package var geofences: GeofenceSet { tracker.activeGeofences }

    /// The identifiers of the geofences that contain the vehicle, ascending.
    package var geofencesInside: [String] { tracker.geofencesInside.identifiers }

    /// Puts a set of geofences into force. Does nothing if it is the same set.
    package func apply(_ geofences: GeofenceSet) {
        guard geofences.identity != tracker.geofenceIdentity || geofences.count != self.geofences.count else { return }
        replaceGeofences(geofences)
    }

    /// Gives a loaded state its geofences, before the journal is replayed.
    package func restoreGeofences(_ kept: (_ identity: UInt64) -> GeofenceSet?) {
        let identity = tracker.geofenceIdentity
        guard identity != 0 else { return }
        guard let set = kept(identity), tracker.attachGeofences(set, zone: settings.schedule.zone) else {
            return logger.warning(
                "the geofences of the saved state are missing; they are in force again when the broker sends them")
        }
    }

    /// Applies a new time zone to the fences' schedules, which use the zone of the tracking schedule.
    package func updateGeofenceTimeZone() {
        if geofences.count > 0 { replaceGeofences(geofences) }
    }

    private func replaceGeofences(_ geofences: GeofenceSet) {
        for output in tracker.replaceGeofences(geofences, zone: settings.schedule.zone, at: now()) { dispatch(output) }
        // A journal must not span two sets.
        pending.needsSnapshot = true
        commit()
        scheduleWakeUp()
    }
}
