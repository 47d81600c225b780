import OdographCrontab
public import OdographGeodesy

/// The reason why bytes are no set of geofences.
public enum GeofenceSetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// They do not begin as a set does, or have another version.
    case notASet
    /// They are cut, or something follows them.
    case wrongLength(expected: Int, found: Int)
    /// Bytes were changed since they were written.
    case damaged
    /// The shapes cannot be read.
    case invalidIndex(ShapeIndexError)

    /// The fault.
    public var description: String {
        switch self {
        case .notASet: "not a set of geofences of this version"
        case .wrongLength(let expected, let found): "\(found) bytes that should be \(expected): it was cut or added to"
        case .damaged: "the checksum does not match: it was changed or damaged"
        case .invalidIndex(let error): "\(error)"
        }
    }
}

/// The file format of a set: attributes, and the index (`ShapeIndex.serialized()`). Two parts avoid moving a hundred
/// thousand geofences in memory. The attributes are, little-endian: 8 bytes of magic and version; UInt64 identity;
/// UInt64 checksum of the rest; UInt32 number of schedules; UInt32 bytes of records; each schedule as UInt16 length and
/// bytes; the records of the occupied slots in ascending order.
extension GeofenceSet {
    private static let magic: UInt64 = 0x3130_5445_534F_4547  // "GEOSET01"
    private static let headerBytes = 32

    /// Returns the set for a file.
    public func serialized() -> (attributes: [UInt8], index: [UInt8]) {
        var compacted = attributes
        compacted.compact()
        var body: [UInt8] = []
        body.reserveCapacity(compacted.bytes.count + 64)
        body.append(integer: UInt64(compacted.schedules.count), bytes: 4)
        body.append(integer: UInt64(compacted.bytes.count), bytes: 4)
        for schedule in compacted.schedules {
            body.append(integer: UInt64(schedule.lines.utf8.count), bytes: 2)
            body += Array(schedule.lines.utf8)
        }
        body += compacted.bytes
        var head: [UInt8] = []
        head.append(integer: Self.magic, bytes: 8)
        head.append(integer: identity, bytes: 8)
        head.append(integer: Self.checksum(body, from: 0), bytes: 8)
        return (head + body, index.serialized())
    }

    /// Reads the bytes of ``serialized()``. Any bytes are safe.
    public init(attributes data: [UInt8], index: [UInt8]) throws(GeofenceSetError) {
        guard data.count >= Self.headerBytes, data.integer(at: 0, bytes: 8) == Self.magic else { throw .notASet }
        guard data.integer(at: 16, bytes: 8) == Self.checksum(data, from: 24) else { throw .damaged }
        let recordBytes = Int(data.integer(at: 28, bytes: 4))
        var schedules: [Schedule] = []
        var place = Self.headerBytes
        for _ in 0..<data.integer(at: 24, bytes: 4) {
            guard place + 2 <= data.count else { throw .damaged }
            let end = place + 2 + Int(data.integer(at: place, bytes: 2))
            guard end <= data.count,
                let schedule = try? Schedule(lines: String(decoding: data[place + 2..<end], as: UTF8.self))
            else { throw .damaged }
            schedules.append(schedule)
            place = end
        }
        guard place + recordBytes == data.count else {
            throw .wrongLength(expected: place + recordBytes, found: data.count)
        }
        let shapes: ShapeIndex
        do throws(ShapeIndexError) { shapes = try ShapeIndex(serialized: index) } catch { throw .invalidIndex(error) }
        guard
            let attributes = GeofenceAttributes(
                records: ContiguousArray(data[place...]), schedules: schedules, index: shapes)
        else { throw .damaged }
        self.init(index: shapes, attributes: attributes, identity: data.integer(at: 8, bytes: 8))
    }

    private static func checksum(_ bytes: [UInt8], from start: Int) -> UInt64 {
        var hash = ContentHash()
        hash.combine(bytes.span.bytes, start..<bytes.count)
        return hash.value
    }
}
