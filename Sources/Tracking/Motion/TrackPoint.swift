import CivilTime
import Geodesy

/// A point of a track, as far as the question "standing or not" needs it.
public struct TrackPoint: Hashable, Sendable {
    /// When.
    public var timestamp: Timestamp
    /// Where.
    public var coordinate: Coordinate
    /// Speed over ground, m/s; nil when the receiver does not say.
    public var speedMetersPerSecond: Double?

    /// - Parameters: as the properties of the same names.
    public init(timestamp: Timestamp, coordinate: Coordinate, speedMetersPerSecond: Double?) {
        self.timestamp = timestamp
        self.coordinate = coordinate
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}

/// As a list without names: there are many of them in a saved state.
extension TrackPoint: Codable {
    /// - Throws: `DecodingError` where it is no list of a time, a place and perhaps a speed.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        timestamp = Timestamp(millisecondsSinceEpoch: try list.decode(Int64.self))
        coordinate = try list.decodeCoordinate()
        speedMetersPerSecond = list.isAtEnd ? nil : try list.decode(Double.self)
    }

    /// Writes the list.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(timestamp.millisecondsSinceEpoch)
        try list.encodeCoordinate(coordinate)
        if let speedMetersPerSecond { try list.encode(speedMetersPerSecond) }
    }
}
