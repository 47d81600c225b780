import Odograph
import OdographTerminal
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
        return Array(separator.utf8) + (try GeoJSONFeature.point(of: location))
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
}
