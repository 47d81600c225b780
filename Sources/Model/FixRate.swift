/// The rate of fixes that the tracker needs, and requests from a source.
public enum FixRate: String, Hashable, Sendable, Codable {
    /// The configured rate of the receiver, because the vehicle moves.
    case full
    /// A lower rate, because the vehicle is stationary.
    case reduced
}
