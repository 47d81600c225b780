import CivilTime
import OdographModel

/// What becomes of a fix.
extension Tracker {
    /// Takes a position of the receiver: judges it, follows it where it is believed, and records it where that is worth it.
    mutating func handle(_ fix: Fix, into outputs: inout [TrackerOutput]) {
        counters.received += 1
        guard !isSuspended else { return }
        let verdict = filter.evaluate(
            fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters, rule: configuration.filter)
        if case .rejected(let reason) = verdict {
            counters.rejected[reason.rawValue, default: 0] += 1
            if reason.concernsTime { timeline.events.gapEvidence.reason = .clockUntrusted }
            return
        }
        counters.accepted += 1
        clock.observe(fix)
        let hasTurned = motion.update(with: fix, rule: configuration.stationary)
        updateMovement(with: fix, hasJumped: verdict == .acceptedAfterJump, into: &outputs)
        let cause = cause(of: fix, hasTurned: hasTurned)
        record(fix, for: cause, into: &outputs)
        emitGeofenceEvents(for: fix, into: &outputs)
    }

    /// Counts the way to a believed fix and follows what it says of the movement.
    private mutating func updateMovement(with fix: Fix, hasJumped: Bool, into outputs: inout [TrackerOutput]) {
        guard let fresh = hold.filter(fix) else { return }
        var log = revisionBatch(at: clock.time(of: fix.received))
        let hop = hops.detectJump(to: fresh)
        if hasJumped {
            odometer.skip(to: fresh, jump: hop, maximumMeters: maximumMeters(to: fresh))
            sampler.rewind(to: fix.timestamp)
            epochs.reset()
        } else {
            odometer.advance(to: fresh, jump: hop)
        }
        if timeline.endGapIfNeeded(at: fresh, odometerMeters: odometer.totalMeters, into: &log) {
            epochs.reset()
            movement.reset()
        }
        let measurement = epochs.add(fresh, jump: hop)
        if let measurement {
            movement.update(
                with: measurement, fix: fresh, odometerMeters: odometer.totalMeters,
                model: configuration.modelParameters.movementModel,
                historySeconds: log.rules.historySeconds)
        }
        timeline.update(
            with: fresh, odometerMeters: odometer.totalMeters, movement: measurement == nil ? nil : movement,
            into: &log)
        emit(log, into: &outputs)
        if measurement != nil { reviseVenue(at: log.now, into: &outputs) }
        updateGeofences(fresh, hasJumped: hasJumped)
    }

    /// How far the vehicle can have come since the last fix of the timeline.
    private func maximumMeters(to fix: Fix) -> Double {
        guard let last = timeline.events.lastFix else { return 0 }
        // A receiver's clock that was set back hides time that the monotonic one counted.
        let seconds = max(fix.timestamp.seconds(since: last.timestamp), fix.received.seconds(since: last.received), 0)
        return seconds * configuration.filter.maximumSpeedMetersPerSecond
    }

    /// Why a fix is worth a record, if an event makes it so.
    private mutating func cause(of fix: Fix, hasTurned: Bool) -> LocationCause? {
        let hasReturned = provider.handleFix(at: fix.timestamp)
        if hasTurned { return .motionChange }
        return hasReturned ? .providerChange : nil
    }

    private mutating func record(_ fix: Fix, for cause: LocationCause?, into outputs: inout [TrackerOutput]) {
        let age = ageMilliseconds(of: fix, at: fix.received)
        var isPersisted = false
        if !requests.isEmpty {
            var sample = location(of: fix, cause: nil, ageMilliseconds: age)
            let answered = requests.addSample(sample)
            for (request, best) in answered {
                isPersisted = isPersisted || (request.isPersisted && best.fix == fix)
                outputs.append(.position(best, request: request.id))
                if request.isPersisted && best.fix != fix { emit(best, into: &outputs) }
            }
            sample.isSample = true
            outputs.append(.sample(sample))
        }
        guard
            cause != nil || isPersisted
                || sampler.isDue(fix, isMoving: motion.isMoving, rule: configuration.sampling)
        else { return }
        sampler.markRecorded(fix, at: fix.timestamp)
        emit(location(of: fix, cause: cause, ageMilliseconds: age), into: &outputs)
    }

    func ageMilliseconds(of fix: Fix, at moment: ClockReading) -> Int64 {
        clock.ageMilliseconds(of: fix, at: moment, maximumAgeSeconds: configuration.filter.maximumAgeSeconds)
    }

    /// A location that is told at an instant of the tracker's time.
    func location(of fix: Fix, cause: LocationCause?, at time: Timestamp) -> TrackedLocation {
        location(
            of: fix, cause: cause,
            ageMilliseconds: max(time.millisecondsSinceEpoch - fix.timestamp.millisecondsSinceEpoch, 0))
    }

    func location(of fix: Fix, cause: LocationCause?, ageMilliseconds: Int64) -> TrackedLocation {
        TrackedLocation(
            fix: fix, ageMilliseconds: ageMilliseconds, cause: cause, isMoving: motion.isMoving, isSample: false,
            odometerMeters: odometer.meters, odometerErrorMeters: odometer.errorMeters,
            activity: movement.activity(
                by: configuration.modelParameters.movement, atMetersPerSecond: fix.speedMetersPerSecond,
                mountedIn: configuration.timeline.vehicle),
            battery: battery,
            tag: schedule.rule?.mode == .tag ? schedule.rule?.tag : nil)
    }
}
