/// How the device is being moved.
public struct Activity: Hashable, Sendable, Codable {
    /// The kinds of movement.
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
        /// Nothing is known yet.
        case unknown
    }

    /// What it is taken for.
    public var kind: Kind
    /// In how many of 100 such cases the kind is right, 0 to 100.
    public var confidencePercent: Int

    /// - Parameters: as the properties of the same names.
    public init(kind: Kind, confidencePercent: Int) {
        self.kind = kind
        self.confidencePercent = confidencePercent
    }

    /// Nothing is known.
    public static let unknown = Activity(kind: .unknown, confidencePercent: 0)
}
