import OdographCivilTime

/// An event of the driving style: the key `driving` of a location record.
public struct DrivingReading: Hashable, Sendable, Codable {
    /// The kind of event.
    public var kind: Kind
    /// The largest acceleration, averaged over about a second, in units of standard gravity; absent with `idling`.
    public var peakG: Double?
    /// The duration, seconds.
    public var duration: Double
    /// The time of the start.
    public var startedAt: Timestamp

    /// Creates an event.
    public init(kind: Kind, peakG: Double?, duration: Double, startedAt: Timestamp) {
        self.kind = kind
        self.peakG = peakG
        self.duration = duration
        self.startedAt = startedAt
    }

    private enum CodingKeys: String, CodingKey {
        case kind
        case peakG = "peak_g"
        case duration
        case startedAt = "started_at"
    }
}

extension DrivingReading {
    /// A kind of event.
    public struct Kind: OpenEnumeration {
        /// The speed rose fast.
        public static let acceleration = Self(rawValue: "acceleration")
        /// The speed fell fast.
        public static let braking = Self(rawValue: "braking")
        /// The direction changed fast for the speed.
        public static let cornering = Self(rawValue: "cornering")
        /// The engine ran at a halt for long.
        public static let idling = Self(rawValue: "idling")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.acceleration, .braking, .cornering, .idling]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

/// The driving style of a trip: the key `driving` of a timeline event.
public struct DrivingTotals: Hashable, Sendable, Codable {
    /// The number of harsh accelerations.
    public var acceleration: Int
    /// The number of harsh brakings.
    public var braking: Int
    /// The number of harsh cornerings.
    public var cornering: Int
    /// The largest speed, m/s; absent if no speed is known.
    public var maximumSpeed: Double?
    /// The share of the driving time above `tracking.driving.speed_limit`, 0 to 1; absent without a limit.
    public var overspeedShare: Double?

    /// Creates totals.
    public init(
        acceleration: Int, braking: Int, cornering: Int, maximumSpeed: Double? = nil, overspeedShare: Double? = nil
    ) {
        self.acceleration = acceleration
        self.braking = braking
        self.cornering = cornering
        self.maximumSpeed = maximumSpeed
        self.overspeedShare = overspeedShare
    }

    /// The number of harsh manoeuvres of all kinds.
    public var harshCount: Int {
        [acceleration, braking, cornering].reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    private enum CodingKeys: String, CodingKey {
        case acceleration, braking, cornering
        case maximumSpeed = "maximum_speed"
        case overspeedShare = "overspeed_share"
    }
}
