import OdographCivilTime
import OdographGeodesy

/// A point of a track, reduced to the values that ``StationaryRule`` needs.
public struct TrackPoint: Hashable, Sendable {
    /// The time of the position.
    public var timestamp: Timestamp
    /// The position.
    public var coordinate: Coordinate
    /// The speed over ground, m/s; nil if the receiver does not report it.
    public var speedMetersPerSecond: Double?

    /// Creates a point.
    public init(timestamp: Timestamp, coordinate: Coordinate, speedMetersPerSecond: Double?) {
        self.timestamp = timestamp
        self.coordinate = coordinate
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}

/// An array without keys, since a saved state contains many points.
extension TrackPoint: Codable {
    /// - Throws: `DecodingError` if the value is not an array of a time, a position and an optional speed.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        timestamp = Timestamp(millisecondsSinceEpoch: try list.decode(Int64.self))
        coordinate = try list.decodeCoordinate()
        speedMetersPerSecond = list.isAtEnd ? nil : try list.decode(Double.self)
    }

    /// Encodes the array.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(timestamp.millisecondsSinceEpoch)
        try list.encodeCoordinate(coordinate)
        if let speedMetersPerSecond { try list.encode(speedMetersPerSecond) }
    }
}
