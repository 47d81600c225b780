import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Counts the distance and the error of the count.
///
/// The published distance never decreases, so a distance in doubt must not count before it is certain. After a step
/// that no movement explains, the fixes are a candidate track, and ``TrackDoubt`` decides when they are believed. Until
/// then the odometer shows the distance of the trusted track, and its error contains what either track would add.
struct Odometer: Equatable, Sendable {
    private var trusted = TrackOdometer()
    private var reach = TrackReach()
    private var place = Place.known
    /// The total at the beginning of the trusted track, metres.
    private var trackMeters = 0.0
    /// The time of the last fix that the filter rejected, if none was accepted since: the vehicle may have moved.
    private var rejectedUntil: Timestamp?
    /// The distance by the vehicle's own signals; nil where it has reported none.
    private var vehicle: VehicleDistance?

    /// The movement while the signals say that the vehicle stands; nil if they do not.
    private var carriage: CarriedDistance?
    /// The distance over which the vehicle was carried, metres; never decreases. The total contains it.
    private(set) var carriedMeters = 0.0

    /// A distance that the satellites measure while the signals say that the vehicle stands.
    struct CarriedDistance: Equatable, Sendable, Codable {
        /// The errors before it.
        fileprivate let errors: TrackOdometer.Errors
        /// The distance of which it is not decided yet whether it was driven, metres.
        fileprivate var undecidedMeters = 0.0
    }

    /// The knowledge about the vehicle's place. A doubt is rare and large, so it is not stored in place: a tracker must
    /// fit many times on the stack of a thread.
    private indirect enum Place: Equatable, Sendable {
        case known
        case doubted(TrackDoubt)
    }

    /// The end of the last doubt that the vehicle was found at its stop again; nil if there was none.
    private var returnedAt: Timestamp?

    /// The first fix of the last candidate track that was believed; nil for none.
    private var believedEntry: Timestamp?

    /// The newest place to which no movement led, and that was not believed; nil for none.
    private var unreachable: Coordinate?

    /// Whether the geofences may believe the place of the newest fix.
    var belief: PlaceBelief {
        guard let doubt else { return believedEntry.map { .proven(since: $0) } ?? .certain }
        let entry = doubt.candidateSince
        return doubt.isBeyondReach ? .doubted(since: entry) : .proven(since: entry)
    }
    /// The centre of the stop at the place in doubt; nil for none.
    var doubtedCenter: RobustCenter? { doubt?.candidate.stationaryCenter }
    /// Whether a place is nearer to one that no movement led to than to the trusted track.
    func isImplausible(_ place: Coordinate) -> Bool {
        guard let unreachable, let last = trusted.newest else { return false }
        return place.distanceMeters(to: unreachable) < place.distanceMeters(to: last.coordinate)
    }
    /// The time for which positions show a place that no movement leads to, seconds; 0 if they do not.
    var implausibleSeconds: Double {
        guard let doubt, doubt.isBeyondReach else { return 0 }
        return doubt.newest.timestamp.seconds(since: doubt.candidateSince)
    }

    /// Whether the receiver says that it is jammed while its positions show such a place.
    var isJammed: Bool { doubt?.newest.isJammed ?? false }

    /// The time up to which positions can have been wrong, so that their distance is withheld; nil if none was.
    var placeInDoubtUntil: Timestamp? { doubt?.newest.timestamp ?? returnedAt }
    private var doubt: TrackDoubt? {
        get { if case .doubted(let doubt) = place { doubt } else { nil } }
        set { place = newValue.map(Place.doubted) ?? .known }
    }

    /// The distance moved since the tracker began, driven or carried, metres; never decreases.
    var totalMeters: Double { trusted.totalMeters }
    /// The distance since the odometer was last set, without that over which the vehicle was carried, metres.
    var meters: Double { trusted.meters - (carriage?.undecidedMeters ?? 0) }
    /// The centre of the stop; nil while the vehicle moves. Fixes elsewhere are no departure unless it drives there.
    var stationaryCenter: RobustCenter? { doubt?.isDriven == true ? nil : trusted.stationaryCenter }
    /// Half the width of the 95 % interval of the true distance, metres.
    var errorMeters: Double {
        trusted.errorMeters + undecidedMeters + (vehicle?.pendingMeters ?? 0) + (carriage?.undecidedMeters ?? 0)
    }

    /// The standard errors by cause, metres: random, common to all segments, and from road detours. An undecided
    /// distance counts as random.
    var standardErrors: (randomMeters: Double, scaleMeters: Double, detourMeters: Double) {
        let (own, undecided) = (trusted.standardErrors, undecidedMeters / SegmentDistance.boundInStandardErrors)
        return (
            (own.randomMeters * own.randomMeters + undecided * undecided).squareRoot(), own.scaleMeters,
            own.detourMeters
        )
    }

    init() {}

    /// Creates an odometer that continues from saved values.
    /// - Parameters: as the properties of the same names and ``standardErrors``.
    ///   - last: the last counted fix, if the vehicle moves.
    init(
        meters: Double, totalMeters: Double, randomMeters: Double, scaleMeters: Double, detourMeters: Double, last: Fix?
    ) {
        trusted = TrackOdometer(
            meters: meters, totalMeters: totalMeters, randomMeters: randomMeters, scaleMeters: scaleMeters,
            detourMeters: detourMeters, last: last)
        if let last { reach.update(with: last) }
    }

    /// Sets the distance and resets the error to 0.
    mutating func set(toMeters value: Double) {
        carriage = nil
        trusted.set(toMeters: value)
        doubt = doubt?.restarted(leaving: trusted)
    }

    /// Adopts a published reading. The error is divided among its causes as before.
    mutating func adoptReading(meters told: Double, errorMeters: Double) {
        carriage = nil
        trusted.adoptReading(meters: told, errorMeters: errorMeters)
        doubt = doubt?.restarted(leaving: trusted)
    }

    /// Adds the distance of an odometer that ended before this one began. The total stays.
    /// - Parameter first: the first fix of this odometer, up to which the gap counts; nil if the gap does not count.
    mutating func add(_ earlier: Odometer, until first: Fix?) {
        trusted.add(earlier.trusted, until: first)
        trusted.addError(meters: earlier.undecidedMeters / SegmentDistance.boundInStandardErrors)
    }

    /// Takes the next fix.
    /// - Parameters:
    ///   - jump: the part of the step to it that no movement explains.
    ///   - hasJumped: whether the filter rejected the fixes before it, because of their dates, or because no movement
    ///     leads from the last believed one to them.
    ///   - stand: what the vehicle's own signals say about a stand.
    /// - Returns: the part of the distance counted now that was driven before an earlier fix; nil if there is none.
    @discardableResult
    mutating func advance(
        to fix: Fix, jump: LocalPoint? = nil, hasJumped: Bool = false, stand: VehicleStand = .none
    ) -> LateDistance? {
        switch stand {
        case .none: carriage = nil
        case .standing:
            carriage = nil
            guard hasStood(until: fix) else { break }
            hold(at: fix)
            return nil
        case .undecided, .carried: return advanceCarried(to: fix, jump, hasJumped, isCertain: stand == .carried)
        }
        return advance(to: fix, jump, hasJumped)
    }

    /// The distance of the wheels up to which the vehicle has not moved, metres: less than a turn of a wheel.
    private static let standingMeters = 1.0

    /// Whether the wheels stand at a fix and have stood, or at most slowed down, since the newest one.
    private func hasStood(until fix: Fix) -> Bool {
        guard let newest = trusted.newest else { return false }
        if fix.timestamp.seconds(since: newest.timestamp) <= SegmentDistance.dopplerSpanSeconds { return true }
        return vehicle?.leg(to: fix).map { $0.meters < Self.standingMeters } ?? false
    }

    /// Takes a fix while the wheels stand. The place is not in doubt then: whatever the positions do is noise.
    private mutating func hold(at fix: Fix) {
        (doubt, rejectedUntil) = (nil, nil)
        reach.update(with: trusted.speeds.judged(fix))
        let before = trusted
        trusted.stand(at: fix)
        learn(since: before, to: fix)
        vehicle?.mark(fix)
    }

    /// Learns the scale of the vehicle's distance from what the satellites measured.
    private mutating func learn(since before: TrackOdometer, to fix: Fix) {
        if let leg = trusted.measuredLeg(since: before, to: fix) {
            vehicle?.learn(from: leg, to: fix, isComplete: trusted.isDriving(at: fix))
        } else {
            vehicle?.interruptLearning()
        }
    }

    /// Takes a fix while the signals say that the vehicle stands, and positions may lead away.
    /// - Parameter isCertain: whether the vehicle is carried.
    private mutating func advanceCarried(
        to fix: Fix, _ jump: LocalPoint?, _ hasJumped: Bool, isCertain: Bool
    ) -> LateDistance? {
        var known = carriage ?? CarriedDistance(errors: trusted.errors)
        let before = totalMeters
        let late = advance(to: fix, jump, hasJumped)
        known.undecidedMeters += totalMeters - before
        if isCertain {
            trusted.exclude(meters: known.undecidedMeters)
            carriedMeters += known.undecidedMeters
            trusted.errors = known.errors
            known.undecidedMeters = 0
        }
        carriage = known
        return late
    }

    private mutating func advance(to fix: Fix, _ jump: LocalPoint?, _ hasJumped: Bool) -> LateDistance? {
        rejectedUntil = nil
        let judged = trusted.speeds.judged(fix)
        guard let last = trusted.newest, fix.timestamp > last.timestamp else { return advanceTrusted(to: fix, jump) }
        if doubt == nil {
            if !hasJumped {
                if reach.explains(judged) { return advanceTrusted(to: fix, jump) }
                if isLate(judged) {
                    skip(to: fix, maximumMeters: .infinity)
                    return nil
                }
            }
            trusted.interruptLearning()
            doubt = TrackDoubt(
                leaving: trusted, reach: reach, meters: trusted.totalMeters - trackMeters, at: judged)
        } else {
            doubt?.add(fix, jump: jump, hasJumped: hasJumped)
        }
        if let place = doubt?.unreachable { unreachable = place }
        // Doppler speeds do not depend on the place.
        if let leg = doubt?.reckon() { trusted.count(leg) }
        return decide(at: fix)
    }

    /// Whether the receiver's clock was set back by less than the time since the last fix, so that only the time of the
    /// monotonic clock explains the step to this one.
    private func isLate(_ fix: Fix) -> Bool {
        guard let last = trusted.newest else { return false }
        var late = fix
        late.timestamp = last.timestamp.advanced(bySeconds: fix.received.seconds(since: last.received))
        return late.timestamp.seconds(since: fix.timestamp) > TrackReach.latestSeconds && reach.explains(late)
    }

    /// Notes a fix that is not used because its position is wrong or old: the vehicle may have moved until then.
    /// - Parameter isStep: whether it is wrong because of the step to it, which can be noise.
    mutating func noteRejected(_ fix: Fix, isStep: Bool = false) {
        if isStep { trusted.noteNoise(of: fix) }
        rejectedUntil = max(rejectedUntil ?? fix.timestamp, fix.timestamp)
        doubt?.noteRejected(fix)
    }

    /// Takes believed signals of the vehicle. They are counted with the next fix.
    mutating func observe(_ signals: VehicleSignals) {
        guard signals.wheelSpeedMetersPerSecond != nil || signals.odometerMeters != nil else { return }
        var known = vehicle ?? VehicleDistance()
        known.update(with: signals)
        vehicle = known
    }

    /// Notes that the wheels do not measure the movement: the vehicle is carried.
    mutating func interruptVehicle() { vehicle?.interrupt() }

    /// Forgets the position: the distance to the next fix does not count.
    mutating func forgetPosition() {
        vehicle?.interrupt()
        trusted.addError(meters: undecidedMeters / SegmentDistance.boundInStandardErrors)
        trusted.forgetPosition()
        trackMeters = trusted.totalMeters
        reach = TrackReach()
        (doubt, rejectedUntil, carriage, unreachable) = (nil, nil, nil, nil)
    }

    /// Continues at a fix after the receiver's clock was set back. The distance to it counts if the monotonic clock has
    /// measured the time of it; else the error grows by the distance that may be missing.
    /// - Parameter maximumMeters: the longest straight line that the vehicle can have travelled since the last fix,
    ///   metres.
    mutating func skip(to fix: Fix, maximumMeters: Double) {
        if var last = trusted.newest {
            let straight = last.coordinate.distanceMeters(to: fix.coordinate)
            let seconds = fix.received.seconds(since: last.received)
            if seconds > 0, straight <= maximumMeters {
                last.timestamp = fix.timestamp.advanced(bySeconds: -seconds)
                trusted.count(trusted.segment(from: last, to: trusted.speeds.judged(fix)))
            } else {
                trusted.addError(
                    meters: min(straight, maximumMeters) * (1 + Tortuosity.largestDetour)
                        / SegmentDistance.boundInStandardErrors)
            }
        }
        trusted.relocate(to: fix)
        vehicle?.interrupt()
        trackMeters = trusted.totalMeters
        reach = TrackReach()
        reach.update(with: fix)
        (doubt, rejectedUntil) = (nil, nil)
    }

    /// Returns a fix with its speed as far as it is believed.
    func judged(_ fix: Fix) -> Fix { trusted.speeds.judged(fix) }
    /// Whether the speeds do not measure the movement.
    var areSpeedsRefuted: Bool { trusted.speeds.isRefuted }
    /// The least accuracy by the noise that the positions show, metres.
    var leastAccuracyMeters: Double { trusted.speeds.leastAccuracyMeters }

    /// Counts a movement around a stop that looked like noise.
    mutating func count(_ missed: MissedMovement) { trusted.count(missed) }

    /// Returns the distance of a silence between the last fix and the next one, which ``advance(to:jump:hasJumped:)``
    /// has not taken yet; nil if there is no last fix. Positions within the noise of each other give 0.
    func gapDistance(to fix: Fix) -> GapDistance? { trusted.gapDistance(to: fix, vehicle: vehicle?.leg(to: fix)) }

    // MARK: Doubt

    /// The distance that may be missing while it is not known where the vehicle is, metres.
    private var undecidedMeters: Double {
        guard let doubt else {
            guard let rejectedUntil, let last = trusted.newest else { return 0 }
            return reach.missingMeters(overSeconds: rejectedUntil.seconds(since: last.timestamp))
        }
        let until = max(doubt.newest.timestamp, rejectedUntil ?? doubt.newest.timestamp)
        return doubt.undecidedMeters(until: until)
    }

    private mutating func advanceTrusted(to fix: Fix, _ jump: LocalPoint?) -> LateDistance? {
        doubt = nil
        reach.update(with: trusted.speeds.judged(fix))
        guard vehicle != nil else { return trusted.advance(to: fix, jump: jump) }
        return advance(to: fix, jump)
    }

    /// Counts the distance to a fix by the satellites or by the vehicle, and learns the scale of the vehicle's
    /// distance.
    private mutating func advance(to fix: Fix, _ jump: LocalPoint?) -> LateDistance? {
        let before = trusted
        let late = trusted.advance(to: fix, jump: jump, vehicle: vehicle?.leg(to: fix))
        learn(since: before, to: fix)
        if trusted.newest?.timestamp == fix.timestamp { vehicle?.mark(fix) }
        return late
    }

    /// Ends the doubt if there is enough evidence.
    /// - Parameter fix: the newest fix.
    private mutating func decide(at fix: Fix) -> LateDistance? {
        guard let doubt, let decision = doubt.decision else { return nil }
        let (newest, total) = (doubt.newest, trusted.totalMeters)
        switch decision {
        case .returned:
            trusted.returnToStop(at: newest)
            returnedAt = newest.timestamp
            // The distance of the doubt is counted by its speeds.
            vehicle?.mark(newest)
            return advanceTrusted(to: fix, nil)
        case .believed:
            believedEntry = doubt.candidateSince
            if doubt.unreachable != nil { unreachable = nil }
            trackMeters = trusted.totalMeters
            let known = trusted
            trusted = doubt.believed(after: known)
            trusted.adoptReading(of: known)
            reach = doubt.reach
            self.doubt = nil
            vehicle?.interruptLearning()
            vehicle?.mark(newest)
        }
        let late = trusted.totalMeters - total
        return late > 0 ? LateDistance(meters: late, after: doubt.since, before: newest.timestamp) : nil
    }
}

extension Odometer: Codable {
    init(from decoder: any Decoder) throws {
        trusted = try TrackOdometer(from: decoder)
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        trackMeters = try parts.decode(Double.self, forKey: .trackMeters)
        doubt = try parts.decodeIfPresent(TrackDoubt.self, forKey: .doubt)
        rejectedUntil = try parts.decodeIfPresent(Timestamp.self, forKey: .rejectedUntil)
        vehicle = try parts.decodeIfPresent(VehicleDistance.self, forKey: .vehicle)
        returnedAt = try parts.decodeIfPresent(Timestamp.self, forKey: .returnedAt)
        believedEntry = try parts.decodeIfPresent(Timestamp.self, forKey: .believedEntry)
        unreachable = try parts.decodeIfPresent(Coordinate.self, forKey: .unreachable)
        reach = try parts.decode(TrackReach.self, forKey: .reach)
        carriage = try parts.decodeIfPresent(CarriedDistance.self, forKey: .carriage)
        carriedMeters = try parts.decode(Double.self, forKey: .carriedMeters)
    }

    func encode(to encoder: any Encoder) throws {
        // The keys of the trusted track are beside those of the doubt.
        try trusted.encode(to: encoder)
        var parts = encoder.container(keyedBy: CodingKeys.self)
        try parts.encode(reach, forKey: .reach)
        try parts.encode(trackMeters, forKey: .trackMeters)
        try parts.encodeIfPresent(doubt, forKey: .doubt)
        try parts.encodeIfPresent(rejectedUntil, forKey: .rejectedUntil)
        try parts.encodeIfPresent(vehicle, forKey: .vehicle)
        try parts.encodeIfPresent(returnedAt, forKey: .returnedAt)
        try parts.encodeIfPresent(believedEntry, forKey: .believedEntry)
        try parts.encodeIfPresent(unreachable, forKey: .unreachable)
        try parts.encodeIfPresent(carriage, forKey: .carriage)
        try parts.encode(carriedMeters, forKey: .carriedMeters)
    }
}
