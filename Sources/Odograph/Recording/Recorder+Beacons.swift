import OdographBeacons
import OdographModel
import OdographPositioning

/// The beacons that the configuration names.
extension Recorder {
    /// Begins to observe beacons. Called once, after ``restore(geofences:)``.
    /// - Parameter source: The receiver. nil if there is none: then no beacon is aboard.
    func observeBeacons(with source: (any BeaconSource)?) {
        beaconSource = source
        observeBeacons()
    }

    /// Starts, replaces or ends the observation if the named beacons have changed. Beacons that are not named any more
    /// leave.
    func observeBeacons() {
        let rule = beaconSource == nil ? BeaconRule() : settings.beacons
        let present = pipeline.intake.tracker.presentBeacons
        for identifier in present where rule.known[identifier] == nil {
            receive(.change(BeaconEvent(identifier: identifier, action: .exit, signalDBm: nil)))
        }
        guard rule != beaconRule, !hasStopped else { return }
        beaconRule = rule
        beaconTask?.cancel()
        beaconTask = nil
        pipeline.problems.reportBeacons(unavailable: nil)
        guard !rule.known.isEmpty, let source = beaconSource else { return }
        let place = usesVirtualTime ? nil : store.taskExecutor
        beaconTask = Task(executorPreference: place) { [weak self] in
            for await event in source.events(rule: rule, present: present) {
                guard let self else { return }
                await self.receive(event, by: rule)
            }
        }
    }

    /// Handles an event of the receiver, unless the rule has changed since.
    private func receive(_ event: BeaconSourceEvent, by rule: BeaconRule) {
        guard rule == beaconRule, !hasStopped else { return }
        receive(event)
    }

    private func receive(_ event: BeaconSourceEvent) {
        switch event {
        case .change(let change):
            pipeline.process(.beacon(change, at: pipeline.time.now))
            scheduleWakeUp()
        case .available: pipeline.problems.reportBeacons(unavailable: nil)
        case .unavailable(let detail): pipeline.problems.reportBeacons(unavailable: detail)
        }
    }
}
