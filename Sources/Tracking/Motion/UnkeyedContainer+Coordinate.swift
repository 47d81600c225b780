import OdographGeodesy

/// The form of a coordinate in the lists of a saved state: two numbers of the list.
extension UnkeyedDecodingContainer {
    /// Reads a latitude and a longitude.
    /// - Throws: `DecodingError` if they are not a valid coordinate.
    mutating func decodeCoordinate() throws -> Coordinate {
        let latitude = try decode(Double.self)
        let longitude = try decode(Double.self)
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw DecodingError.dataCorruptedError(
                in: self,
                debugDescription:
                    "\(latitude), \(longitude) is no latitude (−90 to 90) and longitude (−180 to 180), degrees")
        }
        return coordinate
    }
}

extension UnkeyedEncodingContainer {
    /// Writes a latitude and a longitude.
    mutating func encodeCoordinate(_ coordinate: Coordinate) throws {
        try encode(coordinate.latitudeDegrees)
        try encode(coordinate.longitudeDegrees)
    }
}
