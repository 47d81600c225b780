import COdographZlib
import OdographCivilTime

/// The format of a payload in a row: a marker, the payload's length, and raw deflate with a preset dictionary.
///
/// A location of 511 bytes takes 160, so a commit writes fewer pages. The dictionary is text that most payloads
/// contain. It must never change, because vehicles have compressed rows on their disks: another dictionary needs
/// another marker and a new schema version.
enum PayloadCompression {
    /// The first byte of a compressed payload. No text begins with it, and neither does any row of an earlier version.
    static let marker: UInt8 = 0xFF
    /// The size of the marker and the length, which has four bytes, little endian.
    static let headerBytes = 5
    /// The longest payload that is read, in bytes. It bounds the memory for a damaged length.
    static let longestPayloadBytes = 64 << 20
    /// The base-2 logarithm of the window: 4 kB cover the dictionary and a usual payload.
    private static let windowBits: Int32 = 12
    /// The memory level of zlib's tables: low, because each row has its own stream.
    private static let memoryLevel: Int32 = 4

    private static let dictionary = Array(
        """
        {"device_id":"","timeline_event":{"duration":,"end_date":null,"start_date":"","is_provisional":true,"revision":1,\
        "waypoints":[{"accuracy":,"latitude":,"longitude":,"speed":,"event":"geofence","action":"EXIT",\
        "activity":{"confidence":100,"type":"still"},"battery":{"is_charging":false,"level":1\
        {"device_id":"","location":{"activity":{"confidence":9,"type":"in_vehicle"},"age":0,"battery":{"is_charging":true,\
        "level":0.},"coords":{"accuracy":,"altitude":,"ellipsoidal_altitude":,"heading":,"latitude":,"longitude":,"speed":},\
        "epoch":17,"event":"motionchange","extras":{,"is_moving":false,"is_moving":true,"mock":false,"odometer":,\
        "odometer_error":,"sample":false,"seq":,"timestamp":"2026-01-01T00:00:00.000Z","uuid":"-4-8-"}}
        """.utf8)

    /// Returns a payload in the format of a row.
    static func compressed(_ payload: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard zlib_deflate_init_raw(&stream, windowBits, memoryLevel) == Z_OK else { return verbatim(payload) }
        defer { deflateEnd(&stream) }
        deflateSetDictionary(&stream, dictionary, uInt(dictionary.count))
        let bound = Int(deflateBound(&stream, uLong(payload.count)))
        var isComplete = false
        let row = [UInt8](unsafeUninitializedCapacity: headerBytes + bound) { row, count in
            row[0] = marker
            for index in 1..<headerBytes { row[index] = UInt8(truncatingIfNeeded: payload.count >> (8 * (index - 1))) }
            isComplete = payload.withUnsafeBytes { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = row.baseAddress.map { $0 + headerBytes }
                stream.avail_out = uInt(bound)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = headerBytes + Int(stream.total_out)
        }
        return isComplete ? row : verbatim(payload)
    }

    /// Returns the payload of a row. Reads the rows of earlier versions too. Nil if the bytes are damaged.
    ///
    /// - Parameters: The bytes of the row's payload, and the values of its other columns.
    static func payload(
        of row: UnsafeRawBufferPointer, epoch: Int64, seq: Int64, timestamp: Timestamp
    ) -> [UInt8]? {
        guard row.first == marker else {
            return PhraseCodes.payload(of: row, epoch: epoch, seq: seq, timestamp: timestamp)
        }
        guard row.count >= headerBytes else { return nil }
        let length = (1..<headerBytes).reduce(0) { $0 | Int(row[$1]) << (8 * ($1 - 1)) }
        guard length <= longestPayloadBytes else { return nil }
        return inflated(UnsafeRawBufferPointer(rebasing: row.dropFirst(headerBytes)), length: length)
    }

    private static func inflated(_ bytes: UnsafeRawBufferPointer, length: Int) -> [UInt8]? {
        var stream = z_stream()
        guard zlib_inflate_init_raw(&stream, windowBits) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        inflateSetDictionary(&stream, dictionary, uInt(dictionary.count))
        var isComplete = false
        // One byte more than the payload: zlib needs room to reach the end mark of an empty payload.
        let payload = [UInt8](unsafeUninitializedCapacity: length + 1) { payload, count in
            stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = uInt(bytes.count)
            stream.next_out = payload.baseAddress
            stream.avail_out = uInt(length + 1)
            isComplete = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == length
            count = isComplete ? length : 0
        }
        return isComplete ? payload : nil
    }

    /// Returns a payload that is not compressed in the format of a row: for an older schema, or if memory is short.
    static func verbatim(_ payload: [UInt8]) -> [UInt8] { [PhraseCodes.verbatim] + payload }
}
