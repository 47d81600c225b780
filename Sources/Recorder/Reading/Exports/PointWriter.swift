import OdographJSON
import OdographTerminal
import OdographWire

/// Writes a FeatureCollection with a Point for each position. Its properties are the members of the record.
struct PointWriter: RecordWriter {
    private var isFirst = true

    var isTrack: Bool { true }

    func header() -> [UInt8] { Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8) }

    mutating func bytes(of record: ArchivedRecord) throws -> [UInt8] {
        let message = try JSONCoder.decode(LocationMessage.self, from: record.payload)
        defer { isFirst = false }
        return Array((isFirst ? "\n" : ",\n").utf8) + (try GeoJSONFeature.point(of: message.location))
    }

    func footer() -> [UInt8] { Array("\n]}\n".utf8) }
}
