import OdographJSON
import OdographWire

/// Features of GeoJSON (RFC 7946).
package enum GeoJSONFeature {
    /// Returns a location as a Point. Its properties are the members of the record, with those of `coords` that are
    /// known.
    package static func point(of location: LocationEvent) throws -> [UInt8] {
        try JSONCoder.bytes(of: pointFeature(location)).jsonEscaped
    }

    private static func pointFeature(_ location: LocationEvent) throws -> JSONValue {
        let coords = location.coords
        var properties = try JSONCoder.value(of: location)
        if case .object(var members) = properties {
            members["coords"] = nil
            for (key, value) in [("accuracy", coords.accuracy), ("speed", coords.speed), ("heading", coords.heading)]
            where value >= 0 {
                members[key] = .number(value)
            }
            properties = .object(members)
        }
        let place = [coords.longitude, coords.latitude] + (coords.ellipsoidalAltitude.map { [$0] } ?? [])
        return .object([
            "type": .string("Feature"), "properties": properties,
            "geometry": .object(["type": .string("Point"), "coordinates": .array(place.map { .number($0) })]),
        ])
    }
}
