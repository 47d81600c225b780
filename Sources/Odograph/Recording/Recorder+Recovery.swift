import Logging
import Positioning
import Store
import Tracking

/// Goes on where the last run was, whatever version of the agent that was of.
extension Recorder {
    /// Goes on where the last run was.
    /// - Parameter geofences: gives the kept set of an identity; nil where there is none.
    /// - Returns: the last event of the source that was dealt with.
    package func restore(geofences: (_ identity: UInt64) -> GeofenceSet? = { _ in nil }) -> Int64 {
        do {
            let stored = PreviousRunState(try store.assumeIsolated { try $0.contents() })
            // Only the first tracker of a database has the database's seed: no identifier is given out twice.
            if !stored.isEmpty { load(stored, geofences: geofences) }
        } catch {
            let seed = EpochIdentity.Seed.random()
            tracker = Tracker(configuration: settings.core, seed: (seed.high, seed.low))
            reportLoss(
                Recovery.Loss(
                    text: "the database does not give the saved state, the tracker begins anew: \(error)",
                    isOdometerLost: true))
        }
        resumeAfterLoading()
        return sourceOrdinal
    }

    /// Begins this run, after the state of the last one was loaded.
    package func resumeAfterLoading() {
        pending.needsSnapshot = true
        // Positions of a time that may have been private, from a run in which it was not.
        if settings.schedule.hasPrivateTime { tracker.discardUndatedFixes() }
        // A replay goes on where it was, as if nothing had been; a machine that was off has missed something.
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

    /// What was lost does not matter any more: there are positions again, or somebody has set the odometer.
    package func clearLoss(after input: TrackerInput) {
        guard let loss = stateLoss else { return }
        switch input {
        case .odometer: break
        case .fix(let fix) where !loss.isOdometerLost && tracker.lastFix == fix: break
        default: return
        }
        stateLoss = nil
        problems.clear(.stateLost)
    }
}
