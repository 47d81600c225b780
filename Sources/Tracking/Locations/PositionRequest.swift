/// A request for the current position: the best of several samples is the answer.
public struct PositionRequest: Hashable, Sendable, Codable {
    /// The identifier of the request, repeated in the answer.
    public var id: UInt64
    /// The number of samples to compare, ≥ 1.
    public var samples: Int
    /// The accuracy at which a sample ends the request at once, metres, > 0.
    public var desiredAccuracyMeters: Double
    /// The time after which the best sample so far is the answer, seconds, > 0.
    public var timeoutSeconds: Double
    /// Whether the answer is also recorded and published.
    public var isPersisted: Bool

    /// Creates a request.
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
