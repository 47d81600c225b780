import OdographBeacons
import OdographModel
import OdographPositioning

/// The beacons that the configuration names.
extension InputPipeline {
    /// Begins to observe beacons. Called once, after ``restore(geofences:)``.
    /// - Parameter source: The receiver. nil if there is none: then no beacon is aboard.
    func observeBeacons(with source: (any BeaconSource)?) {
        beacons.source = source
        observeBeacons()
    }

    /// Starts, replaces or ends the observation if the named beacons have changed. Beacons that are not named any more
    /// leave.
    func observeBeacons() {
        let rule = beacons.source == nil ? BeaconRule() : settings.beacons
        let present = intake.tracker.presentBeacons
        for identifier in present where rule.known[identifier] == nil {
            receive(.change(BeaconEvent(identifier: identifier, action: .exit, signalDBm: nil)))
        }
        guard rule != beacons.rule, !hasStopped else { return }
        beacons.rule = rule
        beacons.task?.cancel()
        beacons.task = nil
        problems.reportBeacons(unavailable: nil)
        guard !rule.known.isEmpty, let source = beacons.source else { return }
        let place = usesVirtualTime ? nil : store.taskExecutor
        beacons.task = Task(executorPreference: place) { [weak self] in
            for await event in source.events(rule: rule, present: present) {
                guard let self else { return }
                await self.receive(event, by: rule)
            }
        }
    }

    /// Handles an event of the receiver, unless the rule has changed since.
    private func receive(_ event: BeaconSourceEvent, by rule: BeaconRule) {
        guard rule == beacons.rule, !hasStopped else { return }
        receive(event)
    }

    private func receive(_ event: BeaconSourceEvent) {
        switch event {
        case .change(let change):
            process(.beacon(change, at: time.now))
        case .available: problems.reportBeacons(unavailable: nil)
        case .unavailable(let detail): problems.reportBeacons(unavailable: detail)
        }
    }
}
