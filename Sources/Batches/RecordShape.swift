import OdographJSON

/// The text of a record without its values. Successive records of a channel usually have the same shape, so that the
/// values of the next one are found by a comparison, without reading its keys.
struct RecordShape {
    /// A part of a record's text.
    enum Part: Hashable {
        /// Text that is the same in all records of the shape.
        case text([UInt8])
        /// A value of its own: any JSON value except an object.
        case value
        /// The record's number, which is a value too.
        case seq
        /// A value that the message states once, or that the decoder computes.
        case deviceID, epoch, uuid
    }

    /// The parts in their order.
    var parts: [Part] = []

    /// Returns the places of the values in a payload; nil if it has another shape.
    func values(in payload: [UInt8], _ context: FlatRecord.Context) -> [Range<Int>]? {
        var values: [Range<Int>] = []
        values.reserveCapacity(parts.count / 2 + 1)
        var scanner = JSONScanner(payload)
        for part in parts {
            switch part {
            case .text(let text): guard scanner.skip(text) else { return nil }
            case .deviceID: guard scanner.skip(context.deviceID) else { return nil }
            case .epoch: guard scanner.skip(context.epoch) else { return nil }
            case .uuid: guard let uuid = context.uuid, scanner.skip(uuid) else { return nil }
            case .seq:
                let start = scanner.position
                guard scanner.skip(context.seq) else { return nil }
                values.append(start..<scanner.position)
            case .value:
                let start = scanner.position
                // White space before a value is not canonical.
                guard start < payload.count, payload[start] > 0x20, payload[start] != UInt8(ascii: "{"),
                    (try? scanner.skipValue()) != nil
                else { return nil }
                values.append(start..<scanner.position)
            }
        }
        return scanner.position == payload.count ? values : nil
    }
}

extension JSONScanner {
    /// Moves behind a text.
    /// - Returns: Whether the text is next. Otherwise the scanner does not move.
    fileprivate mutating func skip(_ text: [UInt8]) -> Bool {
        let end = position + text.count
        guard end <= bytes.count else { return false }
        for index in text.indices where bytes[position + index] != text[index] { return false }
        position = end
        return true
    }
}
