import OdographModel
import OdographStore
import OdographTracking

/// The state of the last run, and a store's file that becomes usable later.
extension InputPipeline {
    /// Restores the state of the last run.
    /// - Parameter geofences: Returns the saved set with an identity. nil if there is none.
    /// - Returns: The ordinal of the source's last handled event.
    func restore(geofences: (_ identity: UInt64) -> GeofenceSet? = { _ in nil }) -> Int64 {
        do {
            let stored = PreviousRunState(try store.assumeIsolated { try $0.contents() })
            intake.pending.isAfterLoss = stored.lostRecords > 0
            // Only the first tracker of a database uses the database's seed, so that no identifier is used twice.
            if !stored.isEmpty { load(stored, geofences: geofences) }
        } catch {
            intake.loadNothing(because: error)
            problems.raiseStateLost(intake.stateLoss)
        }
        resumeAfterLoading()
        return intake.sourceOrdinal
    }

    private func load(_ stored: PreviousRunState, geofences: (_ identity: UInt64) -> GeofenceSet?) {
        // The revisions that continue the published timeline are made now.
        intake.pending.captureUptimeMilliseconds = time.uptimeMilliseconds
        // The dates of a replay are not those of the machine.
        let now = !usesVirtualTime && time.now.isSystemTimeTrusted ? time.now.systemTime : nil
        let loaded = intake.load(
            stored, geofences: geofences, at: now, uptimeMilliseconds: time.uptimeMilliseconds)
        if !loaded.hasGeofences { problems.warnOfMissingGeofences() }
        schedule.restart(intake.settings.schedule, state: intake.tracker.schedule)
        execute(loaded.outputs)
        problems.raiseStateLost(intake.stateLoss)
    }

    /// Begins this run after the state of the last one is loaded.
    private func resumeAfterLoading() {
        intake.beginRun()
        // A replay continues as if there were no restart. A live source may have missed events.
        if !usesVirtualTime {
            schedule.gate.handleRestart()
            // Fixes that waited in an earlier boot of the machine are recorded without a date.
            intake.pending.phase = intake.tracker.hasUndatedFixes ? .late : .current
            process(.started(at: time.now, boot: time.boot))
            commitLateRecords()
            if intake.tracker.hasUndatedFixes {
                undatedFixTimer.startIfNeeded(uptimeMilliseconds: time.uptimeMilliseconds)
            }
            advanceSchedule(before: .tick(time.now))
            planWakeUp()
        }
        applyConfiguration()
    }

    /// Goes on above what another run of this device has published: at most so many records.
    func skipRecords(_ records: Int) {
        intake.skipRecords(records)
        commit()
    }

    // MARK: The store's file

    /// Sets the observer of the store's file, and starts the checks.
    func observeStoreFile(_ observer: @escaping @Sendable (StoreFileKeeper.Event) -> Void) {
        storeFile.start(observer)
        planWakeUp()
    }

    /// Checks the file if the check is due.
    func checkStoreFile(isFinal: Bool = false) {
        let place = storeFile.beginCheck(isFinal: isFinal, uptimeMilliseconds: time.uptimeMilliseconds)
        switch place {
        case nil: return
        case .memory(let run): reopenFile(run)
        case .file, .lostFile: storeFile.verify(now: time.now.systemTime)
        }
        storeFile.observer?(.fileChecked)
    }

    /// Tries to use a file that was unusable. No input is handled meanwhile.
    private func reopenFile(_ run: MemoryRun) {
        do {
            guard let contents = try storeFile.reopen(now: time.now.systemTime) else {
                try storeFile.moveIntoFile(snapshot: nil, now: time.now.systemTime)
                return storeFile.handleReopened([:])
            }
            let earlier = PreviousRunState(contents)
            let joined = JoinedRun(intake.tracker, in: run, after: earlier, configuration: intake.settings.core)
            let snapshot = try intake.snapshot(of: joined.tracker)
            try storeFile.moveIntoFile(snapshot: snapshot, now: time.now.systemTime)
            if joined.isEarlierOnly {
                let inForce = intake.tracker.activeGeofences
                load(earlier) { $0 == inForce.identity ? inForce : nil }
                // The rate was requested at the start only, for the empty state.
                execute([.fixRate(intake.tracker.requiredFixRate)])
                resumeAfterLoading()
            } else {
                execute(intake.adopt(joined, uptimeMilliseconds: time.uptimeMilliseconds))
                problems.raiseStateLost(intake.stateLoss)
            }
            storeFile.handleReopened(contents.documents)
            commit()
        } catch {
            problems.raiseStoreUnusable(error)
        }
    }
}
