import Logging
import OdographModel
import OdographPositioning
import OdographTracking

/// The events of the sources.
extension InputPipeline {
    /// Handles a source's events until it ends or the task is cancelled.
    func consume(_ source: any PositionSource) async {
        outlets.source = source
        let events = source.events()
        // The reduced rate that was requested before a restart stays in force.
        if intake.tracker.requiredFixRate == .reduced { source.requestRate(.reduced) }
        do {
            for try await event in events { receive(event) }
        } catch is CancellationError {
            return
        } catch {
            problems.raiseSourceFailed(source, error)
        }
        guard !Task.isCancelled else { return }
        if !hasStopped { recordFinalPosition() }
        commit()
        sourceMonitor.hasEnded = true
        problems.reportEnd(of: source)
    }

    /// Handles the events of a live source of the vehicle's signals until the task is cancelled.
    func consume(_ source: any VehicleSignalSource) async {
        signalMonitor.begin(source.name, uptimeMilliseconds: time.uptimeMilliseconds)
        for await event in source.events() {
            guard !hasStopped else { return }
            receive(event, from: source.name)
        }
    }

    /// Handles an event of the source.
    func receive(_ event: SourceEvent) {
        checkStoreFile()
        if let battery = batteryPoll.input(at: event.receivedAt, uptimeMilliseconds: time.uptimeMilliseconds) {
            process(battery)
        }
        intake.sourceOrdinal = event.ordinal
        switch event.content {
        case .fix(let fix): receivePosition(ReceivedFix(fix, hasReceiverDate: true))
        case .undatedFix(let fix): receivePosition(ReceivedFix(fix, hasReceiverDate: false))
        case .signals(let signals): process(.signals(signals))
        case .state(let state, let moment, let detail):
            observe(state, detail)
            process(.source(state, at: moment))
        }
    }

    private func receivePosition(_ position: ReceivedFix) {
        reportSignals()
        sourceMonitor.observePosition(uptimeMilliseconds: time.uptimeMilliseconds)
        receive(position)
        reportFrozenPosition()
    }

    /// Handles an event of a source of the vehicle's signals.
    func receive(_ event: VehicleSignalEvent, from name: String) {
        switch event {
        case .signals(let signals):
            signalMonitor.observeSignals(of: name, uptimeMilliseconds: time.uptimeMilliseconds)
            receive(signals, ofProgram: false)
        case .unavailable(let detail):
            signalMonitor.observeUnavailable(name, detail)
            problems.logger.notice("no signals of the vehicle: \(name): \(detail)")
        }
    }

    /// Handles signals of the vehicle.
    /// - Parameter ofProgram: Whether a program on the vehicle reports them. It may report changes only, so its silence
    ///   is a fault only after it has reported a speed.
    func receive(_ signals: VehicleSignals, ofProgram: Bool) {
        if ofProgram, signals.wheelSpeedMetersPerSecond != nil {
            signalMonitor.observeSignals(of: signals.source.rawValue, uptimeMilliseconds: time.uptimeMilliseconds)
        }
        reportSignals()
        process(.signals(signals))
    }

    /// Raises or clears the problem of silent sources of signals.
    ///
    /// The problem says that the vehicle moves, so it neither begins nor ends while that is private.
    private func reportSignals() {
        guard !signalMonitor.isEmpty, !intake.tracker.isPrivate, !intake.tracker.isSuspended else { return }
        let silence = signalMonitor.silence(uptimeMilliseconds: time.uptimeMilliseconds)
        problems.reportSignals(silence: intake.tracker.isMoving ? silence : nil)
    }

    /// The time after which a repeated position is a problem, seconds. A receiver may lose its satellites for a moment.
    private static let frozenPositionSeconds = 60.0

    /// Raises or clears the problem of a receiver that repeats its position while the vehicle moves.
    ///
    /// The problem says that the vehicle moves, so it neither begins nor ends while that is private.
    private func reportFrozenPosition() {
        guard !intake.tracker.isPrivate, !intake.tracker.isSuspended else { return }
        let seconds = intake.tracker.positionFrozenSeconds
        if seconds.map({ $0 < Self.frozenPositionSeconds }) ?? false { return }
        problems.reportFrozenPosition(forSeconds: seconds)
    }

    /// Reports a lost receiver after a delay. A lost replay is at its end.
    private func observe(_ state: SourceState, _ detail: String) {
        problems.reportSourceState(state, detail)
        sourceMonitor.observe(state, detail, uptimeMilliseconds: time.uptimeMilliseconds)
        let due = usesVirtualTime ? nil : sourceMonitor.loss?.dueUptimeMilliseconds
        sourceLossTimer.set(due, clock: time.clock) { [weak self] in await self?.handleSourceLossTimer() }
        if state != .lost { problems.registry.clear(.sourceLost) }
    }

    private func handleSourceLossTimer() {
        guard sourceLossTimer.takeExpired(), let loss = sourceMonitor.loss else { return }
        problems.raiseSourceLost(loss.detail)
    }
}
