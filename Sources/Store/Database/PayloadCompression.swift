import OdographCompression

/// The format of a payload in a row: a marker, the payload's length, and raw deflate with a preset dictionary.
///
/// A location of 511 bytes takes 160, so a commit writes fewer pages. The dictionary is text that most payloads
/// contain. Another dictionary needs a new version of the schema.
enum PayloadCompression {
    /// The first byte of a compressed payload.
    static let marker: UInt8 = 0xFF
    /// The first byte of a payload that is not compressed, because memory was short.
    private static let verbatimMarker: UInt8 = 0
    /// The size of the marker and the length, which has four bytes, little endian.
    static let headerBytes = 5
    /// The longest payload that is read, in bytes. It bounds the memory for a damaged length.
    static let longestPayloadBytes = 64 << 20
    /// Raw deflate. A window of 4 kB covers the dictionary and a usual payload. The memory level is low, because each
    /// row has its own stream.
    private static let format = DeflateFormat.raw(windowBits: 12, memoryLevel: 4, dictionary: dictionary)

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
        let length = (1..<headerBytes).map { UInt8(truncatingIfNeeded: payload.count >> (8 * ($0 - 1))) }
        return format.compressed(payload, header: [marker] + length) ?? [verbatimMarker] + payload
    }

    /// Returns the payload of a row. Nil if the bytes are damaged: no record has an empty payload.
    static func payload(of row: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let first = row.first, row.count > 1 else { return nil }
        guard first == marker else { return first == verbatimMarker ? Array(row.dropFirst()) : nil }
        guard row.count >= headerBytes else { return nil }
        let length = (1..<headerBytes).reduce(0) { $0 | Int(row[$1]) << (8 * ($1 - 1)) }
        guard (1...longestPayloadBytes).contains(length) else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: row.dropFirst(headerBytes))
        guard let payload = format.expanded(bytes, maximumBytes: length), payload.count == length else { return nil }
        return payload
    }
}
