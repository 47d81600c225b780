import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Decides whether the vehicle is carried, as on a ferry or a tow truck: its signals say that it stands, and the
/// satellites that it moves away.
///
/// Noise moves the positions of a parked vehicle as well, so a way counts only in legs that are longer than the noise,
/// at the speed of a movement.
struct Carriage: Equatable, Sendable, Codable {
    /// The evidence that the vehicle stands.
    enum Evidence: Equatable, Sendable, Codable {
        case none
        /// Some signals of which none has been compared with the satellites.
        /// - Parameter isCertain: whether one of them is known to work: the engine has run, or the ignition is off.
        case signals(isCertain: Bool)
        /// Wheels that are believed.
        case wheels
    }

    /// The least way from the place of the stand, metres: longer than any reflection.
    private static let leastMeters = 200.0
    /// The same if no signal is known to work, metres: two steps of the coarsest counters.
    private static let leastUncertainMeters = 2000.0
    /// The length of a leg, metres, and the least speed on it, m/s.
    private static let (legMeters, movingMetersPerSecond) = (50.0, 1.0)

    private(set) var evidence = Evidence.none
    /// The first fix since the vehicle stands; nil if it does not.
    private var start: Fix?
    /// The newest time at which the vehicle was at the place of the stand.
    private var lastThere: Timestamp?
    /// The end of the last leg.
    private var legStart: Fix?
    /// The newest fix.
    private var newest: Fix?
    /// Whether the satellites saw the vehicle at rest since its signals say that it stands.
    private(set) var hasRested = false
    private(set) var isCarried = false

    init() {}

    /// The time since which the vehicle moves away from the stand; nil if there is no stand.
    var since: Timestamp? { lastThere }

    /// Takes an accepted fix.
    mutating func update(with fix: Fix, evidence new: Evidence) {
        defer {
            newest = fix
            if let start, start.isNear(fix) { lastThere = fix.timestamp }
        }
        guard new != .none else {
            self = Carriage()
            return
        }
        // Wheels that are believed later are stronger evidence of the same stand.
        evidence = new
        let speed = fix.speedMetersPerSecond
        if speed.map({ $0 < Self.movingMetersPerSecond }) ?? true { hasRested = true }
        guard let start, let legStart, let newest else {
            (self.start, self.legStart) = (fix, fix)
            return
        }
        let step = newest.coordinate.distanceMeters(to: fix.coordinate)
        let noise = fix.assumedAccuracyMeters + newest.assumedAccuracyMeters
        if step > MovementBounds.fastestMetersPerSecond * max(fix.timestamp.seconds(since: newest.timestamp), 0) + noise
        {
            // A place that no vehicle reaches: what leads there is no way.
            if !isCarried { (self.start, self.legStart) = (fix, fix) } else { self.legStart = fix }
            return
        }
        guard legStart.coordinate.distanceMeters(to: fix.coordinate) >= Self.legMeters + noise else { return }
        let isMoving = speed.map { $0 >= Self.movingMetersPerSecond } ?? true
        guard isMoving || isCarried else {
            // Positions at another place without a movement are noise.
            (self.start, self.legStart) = (fix, fix)
            return
        }
        self.legStart = fix
        // Wheels that a drive has proven can have failed on the next one: they stand only if the vehicle has rested.
        guard evidence != .wheels || hasRested else { return }
        if start.coordinate.distanceMeters(to: fix.coordinate) >= leastMeters + noise { isCarried = true }
    }

    private var leastMeters: Double {
        switch evidence {
        case .none: .infinity
        case .signals(let isCertain): isCertain ? Self.leastMeters : Self.leastUncertainMeters
        case .wheels: Self.leastMeters
        }
    }
}

extension Fix {
    /// Whether another fix is at the same place within the noise of both.
    fileprivate func isNear(_ other: Fix) -> Bool {
        coordinate.distanceMeters(to: other.coordinate) <= assumedAccuracyMeters + other.assumedAccuracyMeters
    }
}
