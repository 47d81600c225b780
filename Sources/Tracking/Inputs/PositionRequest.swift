/// A request for the position now: samples are taken, and the best is the answer.
public struct PositionRequest: Hashable, Sendable, Codable {
    /// Which request it is; comes back with the answer.
    public var id: UInt64
    /// How many samples are compared, ≥ 1.
    public var samples: Int
    /// A sample this good ends the request at once, metres, > 0.
    public var desiredAccuracyMeters: Double
    /// The best so far is the answer after this long, seconds, > 0.
    public var timeoutSeconds: Double
    /// Whether the answer is also recorded and published.
    public var isPersisted: Bool

    /// - Parameters: as the properties of the same names.
    public init(
        id: UInt64, samples: Int = 3, desiredAccuracyMeters: Double = 10, timeoutSeconds: Double = 30,
        isPersisted: Bool = true
    ) {
        self.id = id
        self.samples = samples
        self.desiredAccuracyMeters = desiredAccuracyMeters
        self.timeoutSeconds = timeoutSeconds
        self.isPersisted = isPersisted
    }
}
