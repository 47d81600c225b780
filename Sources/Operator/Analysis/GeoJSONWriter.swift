import Odograph
import OdographJSON
import OdographWire

/// Writes a FeatureCollection: a Point for each location, then the track.
///
/// Points are written at once. The track takes 16 bytes of memory per location until the end.
struct GeoJSONWriter: AnalysisWriter {
    private var track: [(longitude: Double, latitude: Double)] = []

    func header() -> [UInt8] {
        Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8)
    }

    mutating func bytes(of record: Analyzer.Record) throws -> [UInt8] {
        guard let location = record.message.location else { return [] }
        let separator = track.isEmpty ? "\n" : ",\n"
        track.append((location.coords.longitude, location.coords.latitude))
        return Array(separator.utf8) + (try JSONCoder.bytes(of: Self.pointFeature(location))).jsonEscaped
    }

    /// A LineString needs at least two positions (RFC 7946, section 3.1.4), so a single location has no track.
    mutating func footer(of summary: AnalysisSummary) -> [UInt8] {
        var text = ""
        if track.count > 1 {
            text = ",\n{\"geometry\":{\"coordinates\":["
            text += track.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
            text += "],\"type\":\"LineString\"},\"properties\":{\"name\":\"track\"},\"type\":\"Feature\"}"
        }
        return Array((text + "\n]}\n").utf8)
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
