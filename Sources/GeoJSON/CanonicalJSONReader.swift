/// Reads a value of any kind into one spelling: no blanks, keys in the order of their bytes, numbers as they were spelled.
struct CanonicalJSONReader {
    /// As much can be hung on a fence, bytes: it is copied to each of its events.
    static let maximumBytes = 8192

    /// Why the value cannot be kept; nil where it can.
    private(set) var rejectionReason: String?
    private var byteCount = 0

    /// Takes a value.
    /// - Parameter depth: how many arrays and objects it lies in, itself counted.
    /// - Returns: its text; worth nothing where there is a ``fault``.
    mutating func readValue(_ scanner: inout JSONScanner, depth: Int) throws(GeoJSONError) -> [UInt8] {
        guard byteCount <= Self.maximumBytes else {
            rejectionReason = rejectionReason ?? "at most \(Self.maximumBytes) bytes can be hung on a fence"
            try scanner.skipValue()
            return []
        }
        guard depth <= JSONScanner.maximumDepth else {
            throw scanner.failure("nested deeper than \(JSONScanner.maximumDepth) levels")
        }
        byteCount += 1
        switch try scanner.kind() {
        case .object: return try readObject(&scanner, depth)
        case .array: return try readArray(&scanner, depth)
        case .string:
            try scanner.readString()
            return counted(JSONSpelling.string(scanner.text))
        case .number:
            try scanner.readNumberText()
            return counted(scanner.text)
        case .bool: return Array((try scanner.readLiteral() == true ? "true" : "false").utf8)
        case .null:
            _ = try scanner.readLiteral()
            return Array("null".utf8)
        }
    }

    private mutating func counted(_ bytes: [UInt8]) -> [UInt8] {
        byteCount += bytes.count
        return bytes
    }

    private mutating func readArray(_ scanner: inout JSONScanner, _ depth: Int) throws(GeoJSONError) -> [UInt8] {
        scanner.position += 1
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        while try scanner.nextElement(isFirst: bytes.count == 1) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += try readValue(&scanner, depth: depth + 1)
            // Something stands for what was too long.
            if rejectionReason != nil { bytes = [UInt8(ascii: "["), 0x20] }
        }
        return bytes + [UInt8(ascii: "]")]
    }

    private mutating func readObject(_ scanner: inout JSONScanner, _ depth: Int) throws(GeoJSONError) -> [UInt8] {
        scanner.position += 1
        var members: [(key: [UInt8], value: [UInt8])] = []
        var isFirst = true
        while try scanner.nextMember(isFirst: isFirst) {
            isFirst = false
            let key = counted(JSONSpelling.string(scanner.text))
            let value = try readValue(&scanner, depth: depth + 1)
            if rejectionReason == nil { members.append((key, value)) }
        }
        members.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for index in members.indices.dropFirst() where members[index].key == members[index - 1].key {
            rejectionReason =
                rejectionReason
                ?? "the key \(String(decoding: members[index].key.prefix(64), as: UTF8.self)) is there twice"
        }
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (key, value) in members {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += key + [UInt8(ascii: ":")] + value
        }
        return bytes + [UInt8(ascii: "}")]
    }
}
