import Logging
import OdographModel
import OdographTracking

/// The settings and the schedule.
extension InputPipeline {
    /// Puts settings into force.
    func apply(_ settings: TrackingSettings) {
        putIntoForce(settings)
        observeBeacons()
    }

    private func putIntoForce(_ settings: TrackingSettings) {
        var new = settings
        // The settings may have been read before the zone's files changed.
        if let rules = newZoneRules(of: new.schedule) { new.schedule.zone = rules }
        let old = intake.settings.schedule
        intake.settings = new
        let geofences = intake.tracker.activeGeofences
        if old.zone != new.schedule.zone, geofences.count > 0 { replaceGeofences(geofences) }
        if old != new.schedule {
            execute(schedule.apply(new.schedule, state: intake.tracker.schedule, now: time.now))
        }
        applyConfiguration()
        planWakeUp()
    }

    /// Passes the settings of the core to it if they have changed.
    func applyConfiguration() {
        let core = intake.settings.core
        if intake.tracker.configuration != core { process(.configuration(core, at: time.now)) }
    }

    /// Applies the rules of the schedule's zone if its files have changed.
    func refreshZone() {
        guard let rules = newZoneRules(of: intake.settings.schedule) else { return }
        problems.logger.notice(
            "the rules of the schedule's time zone have changed", metadata: ["zone": "\(rules.identifier)"])
        putIntoForce(intake.settings)
        outlets.onReportChange?()
    }

    private func newZoneRules(of schedule: TrackingSchedule) -> ZoneRules? {
        // A replay keeps the zone with which it began.
        usesVirtualTime ? nil : zoneWatch.newRules(of: schedule)
    }

    /// Puts a set of geofences into force. Does nothing if it is the same set.
    ///
    /// The next start must find the set of the saved state, which stays the old set until the next commit succeeds.
    /// Therefore the caller saves a new set before it applies it, and also keeps the one before it.
    func apply(_ new: GeofenceSet) {
        guard new.identity != geofences.identity || new.count != geofences.count else { return }
        replaceGeofences(new)
    }

    private func replaceGeofences(_ new: GeofenceSet) {
        execute(intake.replaceGeofences(new, at: time.now, uptimeMilliseconds: time.uptimeMilliseconds))
        commit()
    }

    /// Sets the function that decides whether to track while the schedule is closed.
    func setOffScheduleOverride(_ question: (@Sendable () -> Bool)?) {
        for change in schedule.setOverride(question, now: time.now) { execute(change) }
        planWakeUp()
    }

    /// Applies the schedule changes that are due before an input.
    func advanceSchedule(before input: TrackerInput) {
        guard let moment = schedule.time(before: input) else { return }
        execute(schedule.gate.advance(to: moment))
        for change in schedule.updateOverride(at: moment) { execute(change) }
        reportTimeKnown(at: moment)
    }

    /// Requests a report when the time becomes known or unknown, which need not change the state of the schedule.
    private func reportTimeKnown(at moment: ClockReading) {
        let isKnown = schedule.gate.isTimeKnown(at: moment)
        guard isKnown != isTimeKnown else { return }
        isTimeKnown = isKnown
        outlets.onReportChange?()
    }

    private func execute(_ changes: [ScheduleGate.Change]) {
        for change in changes { execute(change) }
        guard let last = changes.last else { return }
        // Asked at the instant of the change, so that a `true` leaves no gap in the tracking.
        for change in schedule.updateOverride(at: last.clockReading) { execute(change) }
    }

    private func execute(_ change: ScheduleGate.Change) {
        handle(.schedule(change.state, at: change.clockReading))
        intake.requestSnapshot(uptimeMilliseconds: time.uptimeMilliseconds)
        commit()
        outlets.onReportChange?()
    }
}
