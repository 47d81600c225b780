import OdographCivilTime
import OdographGeodesy

/// The event of the timeline that lasts.
struct OpenEvent: Equatable, Sendable, Codable {
    /// The kind of the event so far, with everything that is known in this phase only.
    enum Phase: Equatable, Sendable, Codable {
        /// There are positions, but too few to tell a stop from a trip.
        case unknown(Stop)
        case stationary(Stop)
        case trip(Trip)
        case offTheGrid(OffTheGridReason)
    }

    let id: TimelineEventID
    var revision = 0
    var phase: Phase
    let start: Timestamp
    /// The time before which nothing is examined again: the start, or the start of an event that was withdrawn.
    var settledUntil: Timestamp
    /// The odometer's total at the start, metres.
    var startMeters: Double
    /// The estimated distance of a gap that has ended. Nil for every other event, and where it is not known.
    var gap: GapDistance?

    init(id: TimelineEventID, revision: Int = 0, phase: Phase, start: Timestamp, startMeters: Double) {
        self.id = id
        self.revision = revision
        self.phase = phase
        self.start = start
        settledUntil = start
        self.startMeters = startMeters
    }

    /// The stop. Nil on a trip and off the grid. An assignment changes nothing there.
    var stop: Stop? {
        get {
            switch phase {
            case .unknown(let stop), .stationary(let stop): stop
            case .trip, .offTheGrid: nil
            }
        }
        set {
            switch (phase, newValue) {
            case (.unknown, let stop?): phase = .unknown(stop)
            case (.stationary, let stop?): phase = .stationary(stop)
            case (.unknown, nil), (.stationary, nil), (.trip, _), (.offTheGrid, _): break
            }
        }
    }

    /// The trip. Nil in every other phase. An assignment changes nothing there.
    var trip: Trip? {
        get { if case .trip(let trip) = phase { trip } else { nil } }
        set { if let newValue, case .trip = phase { phase = .trip(newValue) } }
    }

    /// The time since which the vehicle has not moved on: the start, or a later time at a stop in a queue.
    var restStart: Timestamp { max(start, stop?.center?.since ?? start) }

    /// Forgets where the vehicle was.
    mutating func forgetPositions() {
        stop?.center = nil
        trip?.departurePlace = nil
    }

    var isUnknown: Bool { if case .unknown = phase { true } else { false } }
    var isStationary: Bool { if case .stationary = phase { true } else { false } }
    var isOffTheGrid: Bool { if case .offTheGrid = phase { true } else { false } }

    /// The motion of the trip, or of the trip that the event was before it turned out to be a stop.
    var motion: TripMotion { trip?.motion ?? stop?.formerMotion ?? TripMotion() }

    /// The mode that led to the stop, or to this segment of the trip.
    var arrivalMode: MovementMode? { trip?.arrivalMode ?? stop?.arrivalMode }

    /// Returns the stop that the event turns out to be.
    func stop(at center: RobustCenter?) -> Stop {
        Stop(center: center, arrivalMode: arrivalMode, formerMotion: motion)
    }
}

/// A place where the vehicle stays, or may stay.
struct Stop: Equatable, Sendable, Codable {
    /// The place. Nil before the first position and after the positions were forgotten.
    var center: RobustCenter?
    /// The mode that led here. Nil where it is not known.
    var arrivalMode: MovementMode?
    /// The motion of the trip that the event was before it turned out to be a stop.
    var formerMotion = TripMotion()
}

/// One segment of a trip, or the whole trip.
struct Trip: Equatable, Sendable, Codable {
    var motion = TripMotion()
    /// The mode before this segment: another one than that of the segment.
    var arrivalMode: MovementMode?
    /// The place of the stop where the trip began. Nil where there was none, or where it was a halt.
    var departurePlace: Coordinate?
}

/// The mode of a trip and the speeds that prove it.
struct TripMotion: Equatable, Sendable, Codable {
    /// Nil where it is not known yet.
    var mode: MovementMode?
    /// The time faster than any road vehicle, seconds.
    var aboveRoadSpeedSeconds = 0.0
    /// The time faster than cyclists, seconds.
    var aboveCyclingSpeedSeconds = 0.0

    /// Adds the speeds of another part of the same trip.
    mutating func add(speedsOf other: TripMotion) {
        aboveRoadSpeedSeconds += other.aboveRoadSpeedSeconds
        aboveCyclingSpeedSeconds += other.aboveCyclingSpeedSeconds
    }
}
