import Logging
import Tracking

/// The geofences in force.
///
/// The set that a saved state is of must be found again at the next start, and the state is of the old set until the
/// next commit succeeds. So whoever applies a new one has it on the disk before, and keeps the one before it there.
extension Recorder {
    /// The geofences in force.
    package var geofences: GeofenceSet { tracker.activeGeofences }

    /// The identifiers of the geofences that the vehicle is in, ascending.
    package var geofencesInside: [String] { tracker.geofencesInside }

    /// Another set of geofences is in force from now on; nothing happens where it is the same.
    package func apply(_ geofences: GeofenceSet) {
        guard geofences.identity != tracker.geofenceIdentity || geofences.count != self.geofences.count else { return }
        replaceGeofences(geofences)
    }

    /// Gives a loaded state its set, before the inputs since are handled again.
    package func restoreGeofences(_ kept: (_ identity: UInt64) -> GeofenceSet?) {
        let identity = tracker.geofenceIdentity
        guard identity != 0 else { return }
        guard let set = kept(identity), tracker.attachGeofences(set, zone: settings.schedule.zone) else {
            return logger.warning(
                "the geofences of the saved state are not there; they are watched once they are given again")
        }
    }

    /// The schedules of fences are on the wall clock of the tracking schedule.
    package func updateGeofenceTimeZone() {
        if geofences.count > 0 { replaceGeofences(geofences) }
    }

    private func replaceGeofences(_ geofences: GeofenceSet) {
        for output in tracker.replaceGeofences(geofences, zone: settings.schedule.zone, at: now()) { dispatch(output) }
        // The journal must not span two sets.
        pending.needsSnapshot = true
        commit()
        scheduleWakeUp()
    }
}
