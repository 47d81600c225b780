/// Writes strings of JSON.
package enum JSONStringWriter {
    /// Returns a string with its quotes.
    package static func string(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text.utf8, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a string with its quotes.
    /// - Parameter usingLetters: whether control characters with a one-letter escape, such as `\n`, get it. The
    ///   canonical form uses digits for all.
    package static func append(
        _ text: some Sequence<UInt8>, to bytes: inout [UInt8], usingLetters: Bool = false
    ) {
        // A loop over a generic sequence costs a call for each byte in other modules.
        let isAppended: Void? = text.withContiguousStorageIfAvailable {
            append($0, to: &bytes, usingLetters: usingLetters)
        }
        if isAppended == nil {
            Array(text).withUnsafeBufferPointer { append($0, to: &bytes, usingLetters: usingLetters) }
        }
    }

    private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8], usingLetters: Bool) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x20...: bytes.append(byte)
            case 0x08 where usingLetters: bytes += "\\b".utf8
            case 0x09 where usingLetters: bytes += "\\t".utf8
            case 0x0A where usingLetters: bytes += "\\n".utf8
            case 0x0C where usingLetters: bytes += "\\f".utf8
            case 0x0D where usingLetters: bytes += "\\r".utf8
            default: bytes += escape(UInt16(byte)).utf8
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the escape of a code unit, such as `\u009b`.
    fileprivate static func escape(_ unit: UInt16) -> String { "\\u" + unit.hexadecimal }
}

extension String {
    /// JSON text with the same value, with control characters, which occur only in strings, escaped as `\u009b`.
    package var jsonEscaped: String {
        guard unicodeScalars.contains(where: { $0.isControl }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isControl {
                text += JSONStringWriter.escape(UInt16(truncatingIfNeeded: scalar.value))
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension [UInt8] {
    /// The bytes of JSON text, escaped as in ``Swift/String/jsonEscaped``.
    package var jsonEscaped: [UInt8] {
        allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }
            ? self : Array(String(decoding: self, as: UTF8.self).jsonEscaped.utf8)
    }
}

extension Unicode.Scalar {
    /// Whether it changes the display: C0 except line feed and tab, DEL, C1, line and paragraph separators, and the
    /// characters that change the text direction (Unicode Standard Annex 9, section 2).
    package var isControl: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
