extension JSONScanner {
    /// As much of a value is shown in an error message, bytes.
    private static let shownBytes = 60

    /// Passes over a value of any kind, however long, and holds it to JSON's rules.
    ///
    /// - Throws: ``GeoJSONError`` where it is not JSON, or nested deeper than ``maximumDepth``.
    mutating func skipValue() throws(GeoJSONError) {
        // For each open array or object whether it is an object, the innermost last.
        var isObject: UInt64 = 0
        var depth = 0
        var isFirst = false
        while true {
            var hasPart = true
            if depth > 0 { hasPart = try nextPart(isObject & 1 == 1, isFirst: isFirst) }
            if hasPart {
                let kind = try kind()
                isFirst = kind == .object || kind == .array
                if isFirst {
                    guard depth < Self.maximumDepth else {
                        throw failure("nested deeper than \(Self.maximumDepth) levels: this is no GeoJSON")
                    }
                    position += 1
                    depth += 1
                    isObject = isObject << 1 | (kind == .object ? 1 : 0)
                } else {
                    try skipScalar(kind)
                }
            } else {
                depth -= 1
                isObject >>= 1
                isFirst = false
            }
            if depth == 0 { return }
        }
    }

    private mutating func nextPart(_ isObject: Bool, isFirst: Bool) throws(GeoJSONError) -> Bool {
        isObject ? try nextMember(isFirst: isFirst) : try nextElement(isFirst: isFirst)
    }

    private mutating func skipScalar(_ kind: Kind) throws(GeoJSONError) {
        switch kind {
        case .string: try readString()
        case .number: _ = try readNumber()
        default: _ = try readLiteral()
        }
    }

    /// Passes over a value and says what it was, shortened to what this piece of the text has of it.
    mutating func takeShown() throws(GeoJSONError) -> String {
        _ = try peekToken()
        let (start, piece, number) = (position, bytes, pieceCount)
        try skipValue()
        // In another piece the value went on: its beginning is shown.
        let end = pieceCount == number ? position : piece.count
        let shown = piece[start..<min(end, start + Self.shownBytes)]
        return String(decoding: shown, as: UTF8.self).filter { $0 != "\n" && $0 != "\r" }
            + (end - start > Self.shownBytes ? "…" : "")
    }
}
