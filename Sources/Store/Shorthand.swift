import CivilTime

/// The form in which a payload lies in a row: JSON in which one byte stands for what most records have in common.
///
/// Compact JSON has no byte below 0x20. 1 to 4 stand for what the row, or the record, has anyhow; 5 to 31 for a phrase of the wire
/// contract, in which those may occur in turn. So a location takes a third of its bytes, and of the pages that a commit
/// writes; and JSON as it is, which earlier versions stored, stands for itself. A payload that is no JSON lies behind a 0.
///
/// What is here is on the disks of vehicles: a phrase never changes, a new one needs a new version of the schema.
enum Shorthand {
    /// What follows is as it is.
    static let verbatim: UInt8 = 0
    /// A UUID: its 16 bytes follow in place of its 36 characters.
    static let uuid: UInt8 = 1
    static let epoch: UInt8 = 2
    static let seq: UInt8 = 3
    static let timestamp: UInt8 = 4
    static let firstPhrase: UInt8 = 5
    static let uuidTextBytes = 36

    static let phrases: [[UInt8]] = [
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

    /// The codes, that of the longest phrase first.
    private static let codesByLength: [UInt8] = phrases.indices.sorted { phrases[$0].count > phrases[$1].count }.map {
        firstPhrase + UInt8($0)
    }

    /// What a record says of itself, as text.
    private struct Facts {
        var epoch: [UInt8]
        var seq: [UInt8]
        var timestamp: [UInt8]

        init(epoch: Int64, seq: Int64, timestamp: Timestamp) {
            self.epoch = Array(String(epoch).utf8)
            self.seq = Array(String(seq).utf8)
            self.timestamp = Array(timestamp.iso8601.utf8)
        }
    }

    /// A record's payload in few bytes.
    static func bytes(of record: StoredRecord) -> [UInt8] {
        let payload = record.payload
        guard payload.allSatisfy({ $0 >= 0x20 }) else { return [verbatim] + payload }
        let facts = Facts(epoch: record.epoch, seq: record.seq, timestamp: record.timestamp)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count / 2)
        var rest = payload[...]
        while let first = rest.first {
            if let (code, uuid, count) = phrase(at: rest, facts) {
                bytes.append(code)
                bytes += uuid
                rest = rest.dropFirst(count)
            } else {
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }

    /// The longest phrase that some text begins with, the bytes of the UUID in it, and how much of the text it is.
    private static func phrase(at text: ArraySlice<UInt8>, _ facts: Facts) -> (UInt8, [UInt8], Int)? {
        guard let first = text.first, [",", "\"", "{", "}"].contains(Unicode.Scalar(first)) else { return nil }
        for code in codesByLength {
            var rest = text
            var uuid: [UInt8] = []
            if take(phrases[Int(code - firstPhrase)], from: &rest, facts, uuid: &uuid) {
                return (code, uuid, text.count - rest.count)
            }
        }
        return nil
    }

    private static func take(
        _ phrase: [UInt8], from text: inout ArraySlice<UInt8>, _ facts: Facts, uuid: inout [UInt8]
    ) -> Bool {
        for byte in phrase {
            switch byte {
            case epoch: guard takeNumber(facts.epoch, from: &text) else { return false }
            case seq: guard takeNumber(facts.seq, from: &text) else { return false }
            case timestamp:
                guard text.starts(with: facts.timestamp) else { return false }
                text = text.dropFirst(facts.timestamp.count)
            case self.uuid:
                guard let bytes = uuidBytes(of: text.prefix(uuidTextBytes)) else { return false }
                uuid = bytes
                text = text.dropFirst(uuidTextBytes)
            default: guard text.popFirst() == byte else { return false }
            }
        }
        return true
    }

    /// Takes a number, unless it is but the beginning of another.
    private static func takeNumber(_ digits: [UInt8], from text: inout ArraySlice<UInt8>) -> Bool {
        guard text.starts(with: digits) else { return false }
        text = text.dropFirst(digits.count)
        return text.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
    }

    /// The 16 bytes of a UUID in its lowercase form. Nil for any other text.
    private static func uuidBytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count == uuidTextBytes else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for (position, character) in text.enumerated() {
            if hyphens.contains(position) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimal.firstIndex(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        return bytes
    }

    private static let hyphens: Set<Int> = [8, 13, 18, 23]
    static let hexadecimal = Array("0123456789abcdef".utf8)
}
