import Logging
import OdographPositioning
import OdographStore
import OdographTracking

/// Restores the state of the last run, of any version of the agent.
extension Recorder {
    /// Restores the state of the last run.
    /// - Parameter geofences: Returns the saved set with an identity. nil if there is none.
    /// - Returns: The ordinal of the source's last handled event.
    package func restore(geofences: (_ identity: UInt64) -> GeofenceSet? = { _ in nil }) -> Int64 {
        do {
            let stored = PreviousRunState(try store.assumeIsolated { try $0.contents() })
            // Only the first tracker of a database uses the database's seed, so that no identifier is used twice.
            if !stored.isEmpty { load(stored, geofences: geofences) }
        } catch {
            let seed = EpochIdentity.Seed.random()
            tracker = Tracker(configuration: settings.core, seed: (seed.high, seed.low))
            reportLoss(
                Recovery.Loss(
                    text: "cannot read the saved state, the tracker starts with an empty one: \(error)",
                    isOdometerLost: true))
        }
        resumeAfterLoading()
        return sourceOrdinal
    }

    /// Begins this run after the state of the last one is loaded.
    package func resumeAfterLoading() {
        pending.needsSnapshot = true
        // Undated positions of a run without private time may belong to time that is private now.
        if settings.schedule.hasPrivateTime { tracker.discardUndatedFixes() }
        // A replay continues as if there were no restart. A live source may have missed events.
        if !usesVirtualTime {
            gate.handleRestart()
            start(inBoot: boot)
            advanceSchedule(before: .tick(now()))
            scheduleWakeUp()
        }
        if tracker.configuration != settings.core { process(.configuration(settings.core, at: now())) }
    }

    package func load(_ stored: PreviousRunState, geofences: (_ identity: UInt64) -> GeofenceSet?) {
        var restoration = Recovery(of: stored, configuration: settings.core, seed: .random())
        tracker = restoration.tracker
        restoreGeofences(geofences)
        let outputs = restoration.replayJournal(into: &tracker)
        sourceOrdinal = restoration.sourceOrdinal
        gate = ScheduleGate(schedule: settings.schedule, state: tracker.schedule, isReplay: usesVirtualTime)
        for output in outputs { dispatch(output) }
        if let loss = restoration.loss { reportLoss(loss) }
    }

    package func reportLoss(_ loss: Recovery.Loss) {
        stateLoss = loss
        if loss.isOdometerLost { logger.error("\(loss.text)") } else { logger.notice("\(loss.text)") }
        problems.raise(.stateLost, loss.text)
    }

    /// Clears the problem of lost state when it no longer matters: after a new position, or after the odometer was set.
    package func clearLoss(after input: TrackerInput) {
        guard let loss = stateLoss else { return }
        switch input {
        case .odometer: break
        case .fix(let fix) where !loss.isOdometerLost && tracker.hasAccepted(fix): break
        default: return
        }
        stateLoss = nil
        problems.clear(.stateLost)
    }
}
