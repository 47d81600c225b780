/// The way in which the device moves.
public struct Activity: Hashable, Sendable, Codable {
    /// The kinds of activity.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Not moving.
        case still
        /// Walking or running.
        case onFoot = "on_foot"
        /// On foot at a walk.
        case walking
        /// On foot at a run.
        case running
        /// In a car, bus, train or another vehicle.
        case inVehicle = "in_vehicle"
        /// On a bicycle.
        case onBicycle = "on_bicycle"
        /// The activity is unknown.
        case unknown
    }

    /// The most likely kind.
    public var kind: Kind
    /// The number of cases in 100 in which the kind is right, 0 to 100.
    public var confidencePercent: Int

    private enum CodingKeys: String, CodingKey { case kind, confidencePercent }

    /// Creates an activity.
    public init(kind: Kind, confidencePercent: Int) {
        self.kind = kind
        self.confidencePercent = confidencePercent
    }

    /// An unknown activity.
    public static let unknown = Activity(kind: .unknown, confidencePercent: 0)
}
