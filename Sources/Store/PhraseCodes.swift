import OdographCivilTime

/// The reader of payloads that agents before version 6 of the schema stored: JSON with one-byte codes for phrases.
///
/// Compact JSON has no byte below 0x20. The codes 1 to 4 stand for a value of the row, 5 to 31 for a phrase. A phrase
/// can contain the codes 1 to 4. A payload after a 0 is uncompressed.
enum PhraseCodes {
    /// The code before an uncompressed payload.
    static let verbatim: UInt8 = 0
    /// The code before the 16 bytes of a UUID.
    private static let uuid: UInt8 = 1
    private static let epoch: UInt8 = 2
    private static let seq: UInt8 = 3
    private static let timestamp: UInt8 = 4
    private static let firstPhrase: UInt8 = 5

    private static let phrases: [[UInt8]] = [
        "{\"device_id\":\"",
        "\",\"location\":{\"activity\":{\"confidence\":",
        ",\"type\":\"in_vehicle\"},\"age\":",
        ",\"type\":\"still\"},\"age\":",
        "\"},\"age\":",
        ",\"type\":\"",
        ",\"battery\":{\"is_charging\":true,\"level\":",
        ",\"battery\":{\"is_charging\":false,\"level\":",
        "},\"coords\":{\"accuracy\":",
        ",\"coords\":{\"accuracy\":",
        ",\"altitude\":",
        ",\"ellipsoidal_altitude\":",
        ",\"heading\":",
        ",\"latitude\":",
        ",\"longitude\":",
        ",\"speed\":",
        "},\"epoch\":\u{2}",
        ",\"event\":\"",
        ",\"extras\":{",
        ",\"is_moving\":true,\"mock\":false,\"odometer\":",
        ",\"is_moving\":false,\"mock\":false,\"odometer\":",
        ",\"is_moving\":",
        ",\"mock\":true,\"odometer\":",
        ",\"odometer_error\":",
        ",\"sample\":false,\"seq\":\u{3}",
        ",\"timestamp\":\"\u{4}\",\"uuid\":\"\u{1}\"}}",
        ",\"epoch\":\u{2},\"event_id\":\"\u{1}\",\"is_provisional\":",
    ].map { Array($0.utf8) }

    /// Returns the payload for the bytes of a row. Damaged bytes give another payload, not an error.
    ///
    /// - Parameters: The bytes of the row's payload, and the values of its other columns.
    static func payload(
        of row: UnsafeRawBufferPointer, epoch: Int64, seq: Int64, timestamp: Timestamp
    ) -> [UInt8] {
        if row.first == verbatim { return Array(row.dropFirst()) }
        var payload: [UInt8] = []
        payload.reserveCapacity(4 * row.count)
        var rest = row.makeIterator()
        func append(_ code: UInt8) {
            switch code {
            case self.epoch: payload += "\(epoch)".utf8
            case self.seq: payload += "\(seq)".utf8
            case self.timestamp: payload += timestamp.iso8601.utf8
            case uuid:
                for index in 0..<16 {
                    if [4, 6, 8, 10].contains(index) { payload.append(UInt8(ascii: "-")) }
                    let byte = rest.next() ?? 0
                    payload += String(byte >> 4, radix: 16).utf8
                    payload += String(byte & 0xF, radix: 16).utf8
                }
            default: payload.append(code)
            }
        }
        while let byte = rest.next() {
            if byte >= firstPhrase, Int(byte - firstPhrase) < phrases.count {
                for part in phrases[Int(byte - firstPhrase)] { append(part) }
            } else {
                append(byte)
            }
        }
        return payload
    }
}
