import OdographCivilTime
import OdographModel

/// The handling of a fix.
extension Tracker {
    /// Filters a position of the receiver, applies it if it is believed, and records it if a rule asks for it.
    mutating func handle(_ fix: Fix, into outputs: inout [TrackerOutput]) {
        agent.counters.received += 1
        guard !isSuspended else { return }
        let verdict = recent.filter.evaluate(
            fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters, rule: configuration.filter)
        if case .rejected(let reason) = verdict {
            agent.counters.rejected[reason.rawValue, default: 0] += 1
            if reason.concernsTime { timeline.events.gapEvidence.reason = .clockUntrusted }
            return
        }
        agent.counters.accepted += 1
        agent.clock.observe(fix)
        let hasTurned = recent.motion.update(with: fix, rule: configuration.stationary)
        updateMovement(with: fix, hasJumped: verdict == .acceptedAfterJump, into: &outputs)
        let cause = cause(of: fix, hasTurned: hasTurned)
        record(fix, for: cause, into: &outputs)
        emitGeofenceEvents(for: fix, into: &outputs)
    }

    /// Applies a believed fix to odometer, movement, timeline and geofences.
    private mutating func updateMovement(with fix: Fix, hasJumped: Bool, into outputs: inout [TrackerOutput]) {
        guard let fresh = recent.frozenFixes.filter(fix) else { return }
        var log = revisionBatch(at: agent.clock.time(of: fix.received))
        let hop = recent.jumps.detectJump(to: fresh)
        if hasJumped {
            odometer.skip(to: fresh, jump: hop, maximumMeters: maximumMeters(to: fresh))
            sampler.rewind(to: fix.timestamp)
            recent.windows.reset()
        } else {
            odometer.advance(to: fresh, jump: hop)
        }
        if timeline.endGapIfNeeded(at: fresh, odometerMeters: odometer.totalMeters, into: &log) {
            recent.resetMovement()
        }
        let measurement = recent.windows.add(fresh, jump: hop)
        if let measurement {
            recent.movement.update(
                with: measurement, fix: fresh, odometerMeters: odometer.totalMeters,
                model: configuration.modelParameters.movementModel,
                historySeconds: log.rules.historySeconds)
        }
        timeline.update(
            with: fresh, odometerMeters: odometer.totalMeters, movement: measurement == nil ? nil : recent.movement,
            into: &log)
        emit(log, into: &outputs)
        if measurement != nil { reviseVenue(at: log.now, into: &outputs) }
        updateGeofences(fresh, hasJumped: hasJumped)
    }

    /// Returns the longest distance that the vehicle can have driven since the last fix of the timeline, metres.
    private func maximumMeters(to fix: Fix) -> Double {
        guard let last = timeline.events.lastFix else { return 0 }
        // A receiver's clock that was set back hides time that the monotonic clock counted.
        let seconds = max(fix.timestamp.seconds(since: last.timestamp), fix.received.seconds(since: last.received), 0)
        return seconds * configuration.filter.maximumSpeedMetersPerSecond
    }

    /// Returns the event that is the cause for recording a fix; nil for none.
    private mutating func cause(of fix: Fix, hasTurned: Bool) -> LocationCause? {
        let hasReturned = agent.provider.handleFix()
        if hasTurned { return .motionChange }
        return hasReturned ? .providerChange : nil
    }

    private mutating func record(_ fix: Fix, for cause: LocationCause?, into outputs: inout [TrackerOutput]) {
        let age = ageMilliseconds(of: fix, at: fix.received)
        var isPersisted = false
        if !recent.requests.isEmpty {
            var sample = location(of: fix, cause: nil, ageMilliseconds: age)
            let answered = recent.requests.addSample(sample)
            for (request, best) in answered {
                isPersisted = isPersisted || (request.isPersisted && best.fix == fix)
                outputs.append(.position(barrier.disclose(best), request: request.id))
                if request.isPersisted && best.fix != fix { emit(best, into: &outputs) }
            }
            sample.isSample = true
            if let sample = barrier.disclose(sample) { outputs.append(.sample(sample)) }
        }
        guard
            cause != nil || isPersisted
                || sampler.isDue(fix, isMoving: recent.motion.isMoving, rule: configuration.sampling)
        else { return }
        sampler.markRecorded(fix, at: fix.timestamp)
        emit(location(of: fix, cause: cause, ageMilliseconds: age), into: &outputs)
    }

    func ageMilliseconds(of fix: Fix, at moment: ClockReading) -> Int64 {
        agent.clock.ageMilliseconds(of: fix, at: moment, maximumAgeSeconds: configuration.filter.maximumAgeSeconds)
    }

    /// Returns a location event at an instant of the tracker's time.
    func location(of fix: Fix, cause: LocationCause?, at time: Timestamp) -> TrackedLocation {
        location(
            of: fix, cause: cause,
            ageMilliseconds: max(time.millisecondsSinceEpoch - fix.timestamp.millisecondsSinceEpoch, 0))
    }

    func location(of fix: Fix, cause: LocationCause?, ageMilliseconds: Int64) -> TrackedLocation {
        TrackedLocation(
            fix: fix, ageMilliseconds: ageMilliseconds, cause: cause, isMoving: recent.motion.isMoving, isSample: false,
            odometerMeters: odometer.meters, odometerErrorMeters: odometer.errorMeters,
            activity: recent.movement.activity(
                by: configuration.modelParameters.movement, atMetersPerSecond: fix.speedMetersPerSecond,
                mountedIn: configuration.timeline.vehicle),
            battery: agent.battery,
            tag: agent.schedule.rule?.mode == .tag ? agent.schedule.rule?.tag : nil)
    }
}
