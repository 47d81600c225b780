import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The handling of a fix.
extension Tracker {
    /// Filters a position of the receiver, applies it if it is believed, and records it if a rule asks for it.
    mutating func handle(_ fix: Fix, into outputs: inout [TrackerOutput]) {
        agent.counters.received += 1
        guard !isSuspended else { return }
        let verdict = recent.filter.evaluate(
            fix, desiredAccuracyMeters: configuration.desiredAccuracyMeters, limits: stepLimits)
        if case .rejected(let reason) = verdict {
            agent.counters.rejected[reason.rawValue, default: 0] += 1
            if reason == .stale || reason == .early { agent.positions.noteContradiction(fix.timestamp) }
            if reason == .implausible { odometer.noteRejected(fix, isStep: true) }
            if reason.concernsTime { timeline.events.gapEvidence.reason = .clockUntrusted }
            return
        }
        agent.counters.accepted += 1
        agent.clock.observe(fix)
        agent.positions.notePosition(at: fix.received)
        recent.vehicle?.compare(with: fix)
        let hasTurned = recent.motion.update(
            with: fix, rule: configuration.stationary, isStanding: recent.vehicle?.isStanding ?? false)
        updateMovement(with: fix, hasJumped: verdict == .acceptedAfterJump, into: &outputs)
        let cause = cause(of: fix, hasTurned: hasTurned)
        record(fix, for: cause, into: &outputs)
        emitGeofenceEvents(for: fix, into: &outputs)
        // The call copies the tracker, which costs a sixth of the time of a fix. Speeds of wheels come as often.
        if configuration.driving != nil {
            observeDriving(fix, isContinuous: verdict != .acceptedAfterJump, into: &outputs)
        }
    }

    /// The limits of the step to the next fix, by what the odometer has seen of the receiver.
    var stepLimits: FixFilter.StepLimits {
        FixFilter.StepLimits(
            rule: configuration.filter, believesSpeeds: !odometer.areSpeedsRefuted,
            leastAccuracyMeters: odometer.leastAccuracyMeters)
    }

    /// Applies a believed fix to odometer, movement, timeline and geofences.
    private mutating func updateMovement(with fix: Fix, hasJumped: Bool, into outputs: inout [TrackerOutput]) {
        guard let fresh = recent.frozenFixes.filter(fix) else { return odometer.noteRejected(fix) }
        let judged = odometer.judged(fresh)
        let hop = recent.jumps.detectJump(to: judged)
        let isAfterGap = timeline.events.gapSeconds(until: fresh) > configuration.timeline.gapSeconds
        let gap = isAfterGap ? odometer.gapDistance(to: fresh) : nil
        let late = count(fresh, jump: hop, hasJumped: hasJumped)
        if let late { attribute(late) }
        var log = revisionBatch(at: agent.clock.time(of: fix.received))
        if timeline.endGapIfNeeded(at: fresh, odometerMeters: odometer.totalMeters, distance: gap, into: &log) {
            recent.resetMovement()
        }
        let measurement = recent.windows.add(judged, jump: hop)
        if let measurement {
            recent.movement.update(
                with: measurement, fix: fresh, odometerMeters: odometer.totalMeters,
                model: configuration.modelParameters.movementModel,
                historySeconds: log.rules.historySeconds,
                movingThresholdMetersPerSecond: log.rules.movingThresholdMetersPerSecond)
        }
        timeline.update(
            with: fresh, odometerMeters: odometer.totalMeters, movement: measurement == nil ? nil : recent.movement,
            isStanding: recent.vehicle?.isStanding ?? false, into: &log)
        log.missed.forEach { count($0) }
        emit(log, into: &outputs)
        if measurement != nil { reviseVenue(at: log.now, into: &outputs) }
        updateGeofences(fresh, hasJumped: hasJumped)
    }

    /// Counts the distance to a believed fix.
    private mutating func count(_ fix: Fix, jump: LocalPoint?, hasJumped: Bool) -> LateDistance? {
        if hasJumped {
            sampler.rewind(to: fix.timestamp)
            recent.windows.reset()
            if let last = timeline.events.lastFix, fix.timestamp <= last.timestamp {
                odometer.skip(to: fix, maximumMeters: maximumMeters(to: fix))
                return nil
            }
        }
        let stand = recent.vehicle?.stand ?? .none
        let before = odometer.carriedMeters
        defer { noteCarriage(meters: odometer.carriedMeters - before, to: fix) }
        return odometer.advance(to: fix, jump: jump, hasJumped: hasJumped, stand: stand)
    }

    /// Notes the way over which the vehicle was carried to a fix.
    private mutating func noteCarriage(meters: Double, to fix: Fix) {
        guard meters > 0 else { return }
        var log = agent.carriage ?? CarriageLog()
        log.add(meters: meters, from: recent.vehicle?.carriedSince ?? fix.timestamp, to: fix.timestamp)
        agent.carriage = log
    }

    /// Attributes distance that the odometer counts now to the time in which it was driven.
    private mutating func attribute(_ late: LateDistance) {
        recent.movement.attribute(late)
        timeline.events.attribute(late)
    }

    /// Counts a movement that the odometer took for the noise of a stop, and that the timeline knows as a trip.
    mutating func count(_ missed: MissedMovement) {
        odometer.count(missed)
        recent.movement.attribute(LateDistance(meters: missed.meters, after: missed.end, before: missed.end))
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
        var fix = fix
        if isPositionLost {
            // They were those of the place, and the vehicle is not there any more.
            (fix.speedMetersPerSecond, fix.headingDegrees) = (nil, nil)
        }
        return TrackedLocation(
            fix: fix, ageMilliseconds: ageMilliseconds, cause: cause, isMoving: isMovingNow ?? false, isSample: false,
            odometerMeters: odometer.meters, odometerErrorMeters: odometer.errorMeters,
            activity: recent.movement.activity(
                by: configuration.modelParameters.movement, atMetersPerSecond: fix.speedMetersPerSecond,
                mountedIn: configuration.timeline.vehicle),
            battery: agent.battery ?? recent.vehicle?.vehicleBattery, tag: agent.schedule.rule?.recordTag,
            beacons: beaconsOfRecords,
            vehicle: recent.vehicle?.status)
    }
}
