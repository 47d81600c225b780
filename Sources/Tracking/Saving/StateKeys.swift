/// The keys of the saved state: each stored property of the core's types has its key here. `TrackingConfiguration`,
/// `Fix` and the other values of `Model` have their keys beside their properties.
///
/// The name of a case is the key. The golden files in `Tests/States` and the form in `StateSnapshot` change with every
/// change of this file.
extension Tracker {
    enum CodingKeys: String, CodingKey { case configuration, agent, recent, odometer, timeline, geofences, sampler }
}
extension RecentState {
    enum CodingKeys: String, CodingKey {
        case filter, motion, frozenFixes, jumps, windows, movement, requests, undated, venue, vehicle
        case driving
    }
}
extension AgentState {
    enum CodingKeys: String, CodingKey {
        case counters, clock, timeEstimator, provider, positions, isTimeKnown, schedule, owesOpening, battery, boot
        case idling, driving, beacons, carriage
    }
}
extension SamplingRule {
    enum CodingKeys: String, CodingKey {
        case minimumIntervalSeconds, distanceMeters, headingDegrees, maximumIntervalSeconds, recordsHalts
    }
}
extension TimelineRule {
    enum CodingKeys: String, CodingKey {
        case updateIntervalSeconds, shortestStopSeconds, vehicle, waypointToleranceMeters, maximumWaypoints, gapSeconds
    }
}
extension FilterRule { enum CodingKeys: String, CodingKey { case maximumSpeedMetersPerSecond, maximumAgeSeconds } }
extension FixFilter.TimeReference { enum CodingKeys: String, CodingKey { case time, received } }
extension FixFilter {
    enum CodingKeys: String, CodingKey {
        case last, reference, isSameBoot, positionSince, doubtful, doubtfulCount
    }
}
extension FrozenFixDetector {
    enum CodingKeys: String, CodingKey { case newest, since, heldSince, place, reportedMeters, isFrozen }
}
extension PositionNoise {
    enum CodingKeys: String, CodingKey { case recent, median, count, resolutionMeters, course }
}
extension CourseNoise { enum CodingKeys: String, CodingKey { case squareMeters, count } }
extension RestingSpeed { enum CodingKeys: String, CodingKey { case median, count } }
extension MultipathJumpDetector { enum CodingKeys: String, CodingKey { case last, since, stepMetersPerSecond } }
extension MotionDetector.State {
    enum CodingKeys: String, CodingKey { case unknown, moving, stationary }
    enum StationaryCodingKeys: String, CodingKey { case anchor }
}
extension MotionDetector { enum CodingKeys: String, CodingKey { case state, window, fastFixCount } }
extension MotionWindowBuilder {
    enum CodingKeys: String, CodingKey {
        case start, lastEnd, previous, count, sumMilliseconds, plane, sumEast, sumNorth, accuracyMeters
        case sumSpeed, speedCount, hasZeroSpeed, fastestMetersPerSecond
    }
}
extension MovementTracker { enum CodingKeys: String, CodingKey { case probabilities, logScores, windows } }
extension RobustCenter {
    enum CodingKeys: String, CodingKey { case coordinate, since, spreadMeters, weightSum, newest }
}
extension StationaryRule {
    enum CodingKeys: String, CodingKey { case distanceMeters, intervalSeconds, speedMetersPerSecond }
}
extension WindowMean {
    enum CodingKeys: String, CodingKey {
        case time, coordinate, accuracyMeters, reportedMetersPerSecond, reportIntervalSeconds, hasZeroSpeed
    }
}
extension DepartureEvidence {
    enum CodingKeys: String, CodingKey { case since, fixCount, start, jumpCorrectedStart, reportedMeters }
}
extension Odometer {
    enum CodingKeys: String, CodingKey {
        case reach, doubt, trackMeters, rejectedUntil, returnedAt, believedEntry, unreachable, vehicle, carriage
        case carriedMeters
    }
}
extension Odometer.CarriedDistance { enum CodingKeys: String, CodingKey { case errors, undecidedMeters } }
extension TrackOdometer.Errors {
    enum CodingKeys: String, CodingKey { case varianceSquareMeters, scaleMeters, detourMeters, speeds }
}
extension ScaledDistance {
    enum CodingKeys: String, CodingKey { case uncalibratedMeters, calibratedMeters, formerErrorMeters }
}
extension TrackOdometer {
    enum CodingKeys: String, CodingKey {
        case totalMeters, estimateMeters, zeroMeters, varianceSquareMeters, scaleMeters, detourMeters, last, stopAnchor,
            tortuosity
        case tortuosityEstimator, speeds, resting
    }
}
extension SegmentDistance {
    enum CodingKeys: String, CodingKey {
        case meters, varianceSquareMeters, scaleMeters, detourMeters, dopplerMeters, tortuosity
    }
}
extension SpeedJudgement {
    enum CodingKeys: String, CodingKey {
        case noise, scale, isRefuted, agreeing, other, unexplainedFrom
        case stretch, last, lastSpeed, headingAgreement, lostMeters, distance
    }
}
extension OtherScale {
    enum CodingKeys: String, CodingKey { case scale, count, speedMeters, positionMeters, countedMeters }
}
extension SpeedJudgement.Stretch {
    enum CodingKeys: String, CodingKey {
        case first, legStart, fixCount, heldCount, hopCount, speedMeters, varianceSquareMeters, positionMeters
        case sharedMeters, hiddenMeters, countedMeters
    }
}
extension StopAnchor {
    enum CodingKeys: String, CodingKey {
        case anchor, last, legStart, pending, silence, countedMeters, departureEvidence, creepingEvidence, jumpOffset
        case farSince, farFixes, hasMovedFar, reportedMeters, farSpeeds
    }
}
extension VehicleDistance { enum CodingKeys: String, CodingKey { case wheels, counter } }
extension SignalDistance {
    enum CodingKeys: String, CodingKey {
        case samples, mark, scale, resolutionMeters, lastSpeedMetersPerSecond, stretch
    }
}
extension SignalDistance.Sample { enum CodingKeys: String, CodingKey { case uptimeMilliseconds, meters } }
extension SignalDistance.Stretch {
    enum CodingKeys: String, CodingKey { case meters, measuredMeters, varianceSquareMeters }
}
extension DistanceScale {
    enum CodingKeys: String, CodingKey {
        case squareSum, shortfallSum, meters, sharedMeters, prior, residualCount, residualSum
    }
}
extension SignalReading { enum CodingKeys: String, CodingKey { case value, source, uptimeMilliseconds } }
extension SignalReadings {
    enum CodingKeys: String, CodingKey {
        case wheelSpeed, odometer, ignition, engineSpeed, batteryVolts, fuelLevel, stateOfCharge
    }
}
extension WheelCheck {
    enum CodingKeys: String, CodingKey { case isTrusted, agreeing, contradicting, contradicted, last }
}
extension LowVoltageBattery { enum CodingKeys: String, CodingKey { case restLevel, isCharging } }
extension VehicleMonitor {
    enum CodingKeys: String, CodingKey {
        case readings, wheels, carriage, standingCounterMeters, hasEngineRun, battery, uptimeMilliseconds
        case turningSince, standingSince, ignitionOffSince
    }
}
extension VehicleStatus {
    enum CodingKeys: String, CodingKey {
        case wheelSpeedMetersPerSecond, odometerMeters, isIgnitionOn, engineRevolutionsPerMinute, batteryVolts
        case fuelLevel, stateOfCharge, source, ageMilliseconds
    }
}
extension Carriage.Evidence {
    enum CodingKeys: String, CodingKey { case none, signals, wheels }
    enum SignalsCodingKeys: String, CodingKey { case isCertain }
}
extension Carriage {
    enum CodingKeys: String, CodingKey { case evidence, start, lastThere, legStart, newest, hasRested, isCarried }
}
extension CarriageLog.Span { enum CodingKeys: String, CodingKey { case start, end, meters } }
extension CarriageLog { enum CodingKeys: String, CodingKey { case spans } }
extension IdlingLog.Span { enum CodingKeys: String, CodingKey { case start, end, seconds } }
extension SlopeWindow.Sample { enum CodingKeys: String, CodingKey { case time, value } }
extension SlopeWindow { enum CodingKeys: String, CodingKey { case samples } }
extension ManoeuvreDetector.Manoeuvre {
    enum CodingKeys: String, CodingKey { case start, end, peakG, widePeakG, gSeconds, count }
}
extension ManoeuvreDetector.Recent { enum CodingKeys: String, CodingKey { case time, accelerationG } }
extension ManoeuvreDetector { enum CodingKeys: String, CodingKey { case current, recent } }
extension DrivingMonitor {
    enum CodingKeys: String, CodingKey {
        case speeds, directions, acceleration, braking, cornering, wheelTime, lastFix, idlingSince
    }
}
extension DrivingLog.Span {
    enum CodingKeys: String, CodingKey {
        case start, end, accelerationCount, brakingCount, corneringCount, seconds, overspeedSeconds
        case maximumMetersPerSecond
    }
}
extension DrivingLog { enum CodingKeys: String, CodingKey { case spans, lastTime, lastMetersPerSecond } }
extension DrivingRule {
    enum CodingKeys: String, CodingKey {
        case accelerationG, brakingG, corneringG, idlingSeconds, speedLimitMetersPerSecond
    }
}
extension DrivingEvent { enum CodingKeys: String, CodingKey { case kind, peakG, durationSeconds, start } }
extension BeaconLog.Span { enum CodingKeys: String, CodingKey { case identifier, start, end } }
extension BeaconLog { enum CodingKeys: String, CodingKey { case spans, pending } }
extension IdlingLog { enum CodingKeys: String, CodingKey { case spans, idlingAt } }
extension LateDistance { enum CodingKeys: String, CodingKey { case meters, after, before } }
extension TrackReach { enum CodingKeys: String, CodingKey { case start, newest, pace, since, hold } }
extension TrackDoubt {
    enum CodingKeys: String, CodingKey {
        case left, origin, leftMeters, candidate, reach, began, entry, fixCount, reportedMetersPerSecond, isFirst
        case hasLedBack, isReckoned, reckonedReach, followsJump
    }
}
extension Tortuosity.Sum {
    enum CodingKeys: String, CodingKey { case straightMeters, detourMeters, straightMeterSeconds, seconds, lineDegrees }
}
extension Tortuosity { enum CodingKeys: String, CodingKey { case observed } }
extension TortuosityEstimator { enum CodingKeys: String, CodingKey { case start, startMeters } }
extension EventSequence {
    enum CodingKeys: String, CodingKey {
        case emitter, open, ended, publishedSince, lastVehicleMode, lastFinal, polyline, gapEvidence, lastFix, lastTime
        case lastMeters
    }
}
extension FinalEvent { enum CodingKeys: String, CodingKey { case mode, isStop, end, tag, isPrivate } }
extension GapEvidence.Downtime { enum CodingKeys: String, CodingKey { case end } }
extension GapEvidence { enum CodingKeys: String, CodingKey { case reason, downtime } }
extension OpenEvent.Phase { enum CodingKeys: String, CodingKey { case unknown, stationary, trip, offTheGrid } }
extension GapDistance { enum CodingKeys: String, CodingKey { case meters, errorMeters } }
extension OpenEvent {
    enum CodingKeys: String, CodingKey { case id, revision, phase, start, settledUntil, startMeters, gap }
}
extension Stop { enum CodingKeys: String, CodingKey { case center, arrivalMode, formerMotion } }
extension Trip { enum CodingKeys: String, CodingKey { case motion, arrivalMode, departurePlace } }
extension TripMotion {
    enum CodingKeys: String, CodingKey { case mode, aboveRoadSpeedSeconds, aboveCyclingSpeedSeconds }
}
extension WalkToStop { enum CodingKeys: String, CodingKey { case mode, start, startMeters, place } }
extension ProvisionallyEndedEvent {
    enum CodingKeys: String, CodingKey { case event, end, endMeters, polyline, walk, departure }
}
extension TentativeDeparture { enum CodingKeys: String, CodingKey { case indoorPosition } }
extension RevisionEmitter {
    enum CodingKeys: String, CodingKey { case seed, eventCount, lastUpdate, lastPublished, tag, isPrivate, vehicle }
}
extension TimelineEventID { enum CodingKeys: String, CodingKey { case high, low } }
extension TrackerSeed { enum CodingKeys: String, CodingKey { case first, second } }
extension WaypointPolyline { enum CodingKeys: String, CodingKey { case points, simplifiedCount } }
extension PedestrianDetector { enum CodingKeys: String, CodingKey { case sky } }
extension SkyVisibility { enum CodingKeys: String, CodingKey { case since, bestAccuracyMeters, observedSeconds } }
extension PublishedInterval.TimeSpan { enum CodingKeys: String, CodingKey { case start, end } }
extension PublishedInterval.ClockJump { enum CodingKeys: String, CodingKey { case event, end } }
extension PublishedInterval { enum CodingKeys: String, CodingKey { case upcoming, clockJump } }
extension TripSegmenter { enum CodingKeys: String, CodingKey { case events, published, pedestrian, isMoving } }
extension DwellTimer { enum CodingKeys: String, CodingKey { case due } }
extension FixRun { enum CodingKeys: String, CodingKey { case count, since } }
extension GeofenceOpening { enum CodingKeys: String, CodingKey { case isOpen, nextChange } }
extension GeofenceDeparture { enum CodingKeys: String, CodingKey { case run, clearSince } }
extension GeofenceEntry.Origin { enum CodingKeys: String, CodingKey { case crossed, moved, found } }
extension GeofenceEntry { enum CodingKeys: String, CodingKey { case time, origin } }
extension GeofenceEntering { enum CodingKeys: String, CodingKey { case entry, run } }
extension GeofenceCrossing { enum CodingKeys: String, CodingKey { case span, run } }
extension GeofenceEvent {
    enum CodingKeys: String, CodingKey {
        case identifier, action, occurredAt, confirmedAt, isInitial, reason, exitedAt, dwellSeconds
        case peakSpeedMetersPerSecond, speedLimitMetersPerSecond, durationSeconds, name, significance, extras
    }
}
extension GeofencePosition {
    enum CodingKeys: String, CodingKey {
        case time, coordinate, accuracyMeters, speedMetersPerSecond, stationaryCoordinate
    }
}
extension FixCadence { enum CodingKeys: String, CodingKey { case newest, middle, oldest } }
extension GeofenceState.Phase { enum CodingKeys: String, CodingKey { case entering, inside, crossing, returned } }
extension GeofenceTrack { enum CodingKeys: String, CodingKey { case last, cadence } }
extension GeofenceTrack.Last { enum CodingKeys: String, CodingKey { case none, known, interrupted } }
extension GeofenceDoubt { enum CodingKeys: String, CodingKey { case states, track, entry, events } }
extension GeofenceVisit.Exit { enum CodingKeys: String, CodingKey { case time, reason } }
extension GeofenceVisit {
    enum CodingKeys: String, CodingKey { case entry, opening, dwell, overspeed, exit, departure }
}
extension OverspeedDetector.Excess {
    enum CodingKeys: String, CodingKey { case start, firstFix, count, isCertain, peak, slowing }
}
extension OverspeedDetector.Slowing { enum CodingKeys: String, CodingKey { case start, run } }
extension OverspeedDetector { enum CodingKeys: String, CodingKey { case limitMetersPerSecond, excess } }
extension SavedGeofenceState { enum CodingKeys: String, CodingKey { case identifier, shape, phase } }
extension LocationSampler { enum CodingKeys: String, CodingKey { case last, lastRecordTime } }
extension PendingPositionRequests.PendingRequest {
    enum CodingKeys: String, CodingKey { case request, due, best, samples }
}
extension PendingPositionRequests { enum CodingKeys: String, CodingKey { case waiting } }
extension PositionRequest {
    enum CodingKeys: String, CodingKey { case id, samples, desiredAccuracyMeters, timeoutSeconds, isPersisted }
}
extension ProviderMonitor.State {
    enum CodingKeys: String, CodingKey { case present, gone, reportedGone }
    enum GoneCodingKeys: String, CodingKey { case since }
}
extension PositionWatch {
    enum CodingKeys: String, CodingKey { case sinceUptimeMilliseconds, contradictions, contradictingDate, isLost, due }
}
extension ProviderMonitor { enum CodingKeys: String, CodingKey { case state } }
extension TrackedLocation {
    enum CodingKeys: String, CodingKey {
        case fix, ageMilliseconds, cause, isMoving, isSample, odometerMeters, odometerErrorMeters, activity, battery
        case tag, isClockUntrusted, geofence, vehicle, driving, beacon, beacons
    }
}
extension TrackerCounters { enum CodingKeys: String, CodingKey { case received, accepted, rejected } }
extension ScheduleGate.State { enum CodingKeys: String, CodingKey { case open, closed } }
extension OffScheduleRule { enum CodingKeys: String, CodingKey { case mode, tag } }
extension ReceiverTimeEstimator {
    enum CodingKeys: String, CodingKey { case lastTime, lastUptimeMilliseconds, count, offsetMilliseconds }
}
extension TrackerClock {
    enum CodingKeys: String, CodingKey {
        case offsetMilliseconds, settledMilliseconds, lastKnown, firstUptimeMilliseconds
    }
}
