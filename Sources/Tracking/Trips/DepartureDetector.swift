import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Decides whether and when a stop was left. It changes nothing.
struct DepartureDetector {
    let history: MovementHistory
    let fix: Fix
    /// The stop, or the trip whose departure from it is tentative.
    let event: OpenEvent
    let center: RobustCenter
    /// Nil where the receiver is mounted in a vehicle.
    let pedestrian: PedestrianDetector?

    private var rules: SegmentationRules { history.rules }
    private var coreMeters: Double { center.coreRadiusMeters(for: fix) }
    private var radiusMeters: Double { center.radiusMeters(for: fix) }

    private func distanceMeters(to position: Coordinate) -> Double { center.coordinate.distanceMeters(to: position) }

    /// The time of the departure of a vehicle that is clearly out of the noise around the stop.
    var certain: Timestamp? {
        guard history.isClearlyMoving,
            distanceMeters(to: fix.coordinate) > radiusMeters + DepartureParameters.clearanceMeters,
            let begin = departureTime,
            history.distanceMeters(since: begin) > DepartureParameters.minimumClearanceMeters
                || history.hasDriven(from: begin, to: fix.timestamp)
        else { return nil }
        return begin
    }

    /// The time of a departure that can turn out to be none.
    ///
    /// A receiver that reports no accuracy may be wrong by any distance: it has no tentative departure.
    var tentative: Timestamp? {
        guard fix.accuracyMeters != nil, isMovingAway, let begin = departureTime else { return nil }
        return begin.seconds(since: event.settledUntil) >= rules.shortestSegmentSeconds ? begin : nil
    }

    /// The time at which a vehicle in a queue has moved on. Nil where it stands.
    var queueStep: Timestamp? {
        let meters = history.distanceMeters(since: event.restStart)
        let newest = history.windows.suffix(2)
        guard newest.count == 2,
            newest.allSatisfy({ history.hasMoved(from: center.coordinate, to: $0, overMeters: meters) })
        else { return nil }
        let moving = history.windows.lastIndex {
            history.totalMeters - $0.odometerMeters >= rules.queueStepMeters
        }
        let rest = history.windows[...(moving ?? 0)].last {
            $0.speedMetersPerSecond <= rules.movingThresholdMetersPerSecond
        }
        return max(rest?.time ?? event.restStart, event.restStart)
    }

    /// Returns the time until which the vehicle has stood, by the odometer, before a departure that is dated to a time:
    /// boarding belongs to the ride.
    func standEnd(before begin: Timestamp) -> Timestamp {
        let meters = history.odometerMeters(at: begin) + rules.queueStepMeters / 2
        // The odometer finds some seconds late that an anchor was left.
        let stand = history.windows.last {
            $0.odometerMeters <= meters && distanceMeters(to: $0.coordinate) <= max(coreMeters, $0.accuracyMeters)
        }
        return max(stand?.time ?? begin, begin)
    }

    /// The time of a departure that the odometer has measured: it needs no speed and no clearance, since the odometer
    /// does not count noise.
    var measured: Timestamp? {
        let newest = history.windows.suffix(2)
        guard newest.count == 2, newest.allSatisfy({ distanceMeters(to: $0.coordinate) > coreMeters }),
            let begin = departureTime(measured: true),
            history.distanceMeters(since: begin) >= DepartureParameters.minimumClearanceMeters
        else { return nil }
        return begin
    }

    /// The time of a departure that is faster than a walk. It needs less distance.
    var driveOff: Timestamp? {
        let rides = RideDetector(history: history)
        guard let ride = rides.newestRide(after: event.settledUntil) else { return nil }
        let clearance = DepartureParameters.minimumClearanceMeters
        let distance = distanceMeters(to: fix.coordinate)
        // The ride itself must lead away. A jump of the position and the way back from it do not.
        let before = distanceMeters(to: history.windows[max(ride.lowerBound - 1, 0)].coordinate)
        guard distance > radiusMeters + clearance, distance - before > coreMeters + clearance else { return nil }
        let boarding = rides.boardingTime(ofRideAt: ride.lowerBound, after: event.settledUntil)
        return min(departureTime ?? boarding, boarding)
    }

    /// Whether the newest windows lead farther away one by one, all outside the core and the last out of the noise.
    private var isMovingAway: Bool {
        let count = DepartureParameters.movingAwayWindowCount
        let distances = history.windows.suffix(count).map { distanceMeters(to: $0.coordinate) }
        guard history.isClearlyMoving, distances.count == count, let first = distances.first, let last = distances.last
        else { return false }
        return first > coreMeters && last > radiusMeters + DepartureParameters.minimumClearanceMeters
            && zip(distances, distances.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// The start of the trip that the history ends in: the time after which no position can belong to the stop, and
    /// from there back while it moved.
    ///
    /// A rest of the stationary interval outside the core still belongs to the stop. A shorter one belongs to the trip.
    private var departureTime: Timestamp? { departureTime(measured: false) }

    /// - Parameter measured: whether the odometer has measured the way out, so that a rest at its end is at another
    ///   place.
    private func departureTime(measured: Bool) -> Timestamp? {
        let inside =
            history.windows.lastIndex { distanceMeters(to: $0.coordinate) <= max(coreMeters, $0.accuracyMeters) } ?? -1
        guard inside + 1 < history.windows.count else { return nil }
        if !(measured && isElsewhere(after: inside)), let end = lastLongRestEnd(after: inside) {
            return max(end, event.settledUntil)
        }
        let first = history.departureIndex(before: inside + 1)
        let outdoors = pedestrian?.waitOutdoorsIndex(before: first, event: event, in: history)
        return max(history.start(of: outdoors ?? first), event.settledUntil)
    }

    /// Whether the vehicle is at another place than the stop: beyond the noise around it, and the odometer, which does
    /// not count noise, has counted the way since a window.
    private func isElsewhere(after inside: Int) -> Bool {
        let meters = distanceMeters(to: fix.coordinate)
        return meters > radiusMeters + DepartureParameters.clearanceMeters
            && history.distanceMeters(since: history.windows[max(inside, 0)].time) >= meters / 2
    }

    /// Returns the end of the last rest that is too long for a trip. Nil where there is none after a window.
    private func lastLongRestEnd(after first: Int) -> Timestamp? {
        var end: Timestamp?
        for index in history.windows.indices.reversed() where index > first {
            guard history.states[index].isStationary else {
                end = nil
                continue
            }
            let last = end ?? history.windows[index].time
            end = last
            if last.seconds(since: history.start(of: index)) >= rules.longestWaitSeconds { return last }
        }
        return nil
    }
}
