extension JSONScanner {
    /// The longest part of a value that an error message shows, bytes.
    private static let maximumShownBytes = 60

    /// Skips a value of any kind and length, and validates it.
    ///
    /// - Throws: ``JSONError`` if it is not JSON, or is nested deeper than ``maximumDepth``.
    package mutating func skipValue() throws(JSONError) {
        // One bit for each open array or object, the innermost lowest: whether it is an object.
        var isObject: UInt64 = 0
        var depth = 0
        repeat {
            if depth > 0, try !(isObject & 1 == 1 ? nextMember() : nextElement()) {
                depth -= 1
                isObject >>= 1
                continue
            }
            let kind = try kind()
            switch kind {
            case .object, .array:
                guard depth < Self.maximumDepth else {
                    throw failure("nested deeper than \(Self.maximumDepth) levels: this is no \(format)")
                }
                open()
                depth += 1
                isObject = isObject << 1 | (kind == .object ? 1 : 0)
            case .string: try readString()
            case .number: _ = try readNumber()
            case .bool, .null: _ = try readLiteral()
            }
        } while depth > 0
    }

    /// Skips a value and returns the part of its text that is in this piece, shortened.
    package mutating func takeShown() throws(JSONError) -> String {
        _ = try peekToken()
        let (start, piece) = (position, pieceCount)
        let rest = bytes[start...]
        try skipValue()
        // A value that continues in another piece is cut at the end of this one.
        let count = piece == pieceCount ? position - start : rest.count
        let shown = rest.prefix(min(count, Self.maximumShownBytes))
        return String(decoding: shown, as: UTF8.self).filter { $0 != "\n" && $0 != "\r" }
            + (count > Self.maximumShownBytes ? "…" : "")
    }
}
