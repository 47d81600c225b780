/// Reads a value of any kind into its canonical form.
///
/// The form has no white space, has the keys in the order of their bytes, and keeps the spelling of numbers.
package struct CanonicalJSONReader {
    /// The reason why the value is rejected; nil if it is accepted.
    package private(set) var rejectionReason: String?
    private let maximumBytes: Int
    private let sizeReason: String
    private var byteCount = 0

    /// - Parameters:
    ///   - maximumBytes: the greatest length of the strings and numbers of the value.
    ///   - sizeReason: the ``rejectionReason`` of a longer value.
    package init(maximumBytes: Int, sizeReason: String) {
        self.maximumBytes = maximumBytes
        self.sizeReason = sizeReason
    }

    /// Reads a value.
    /// - Parameter depth: the nesting depth of the value, from 1.
    /// - Returns: the canonical form; undefined if there is a ``rejectionReason``.
    package mutating func readValue(_ scanner: inout JSONScanner, depth: Int = 1) throws(JSONError) -> [UInt8] {
        guard byteCount <= maximumBytes else {
            rejectionReason = rejectionReason ?? sizeReason
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
            return quoted(scanner.text)
        case .number:
            try scanner.readNumberText()
            byteCount += scanner.text.count
            return Array(scanner.text)
        case .bool: return Array((try scanner.readLiteral() == true ? "true" : "false").utf8)
        case .null:
            _ = try scanner.readLiteral()
            return Array("null".utf8)
        }
    }

    private mutating func quoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONStringWriter.append(text, to: &bytes)
        byteCount += bytes.count
        return bytes
    }

    private mutating func readArray(_ scanner: inout JSONScanner, _ depth: Int) throws(JSONError) -> [UInt8] {
        scanner.open()
        var elements: [[UInt8]] = []
        while try scanner.nextElement() {
            let element = try readValue(&scanner, depth: depth + 1)
            if rejectionReason == nil { elements.append(element) }
        }
        return Self.joined(elements, "[", "]")
    }

    private mutating func readObject(_ scanner: inout JSONScanner, _ depth: Int) throws(JSONError) -> [UInt8] {
        scanner.open()
        var members: [(key: [UInt8], value: [UInt8])] = []
        while try scanner.nextMember() {
            let key = quoted(scanner.text)
            let value = try readValue(&scanner, depth: depth + 1)
            if rejectionReason == nil { members.append((key, value)) }
        }
        members.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for index in members.indices.dropFirst() where members[index].key == members[index - 1].key {
            rejectionReason =
                rejectionReason
                ?? "the key \(String(decoding: members[index].key.prefix(64), as: UTF8.self)) is there twice"
        }
        return Self.joined(members.map { $0.key + [UInt8(ascii: ":")] + $0.value }, "{", "}")
    }

    private static func joined(_ parts: [[UInt8]], _ start: Unicode.Scalar, _ end: Unicode.Scalar) -> [UInt8] {
        [UInt8(ascii: start)] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: end)]
    }
}
