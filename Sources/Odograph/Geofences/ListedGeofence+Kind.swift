import OdographWire

extension ListedGeofence {
    /// A kind of area.
    public struct Kind: OpenEnumeration {
        /// A circle.
        public static let circle = Self(rawValue: "circle")
        /// One polygon, or several, with holes.
        public static let polygon = Self(rawValue: "polygon")
        /// All points within a distance of a line.
        public static let corridor = Self(rawValue: "corridor")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.circle, .polygon, .corridor]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
