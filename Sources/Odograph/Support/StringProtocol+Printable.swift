/// Makes data fit to be shown. What comes over the wire or out of a file may hold control characters, by which it could move a
/// terminal's cursor, write to the clipboard, begin a line of its own, or reverse the order of what is read.
extension StringProtocol {
    /// The text as a part of one line: U+FFFD stands for each character that a terminal or a reader would act on, line ends included.
    public var printable: String {
        guard utf8.contains(where: { !$0.isPlainASCII }) else { return String(self) }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isControl || $0 == "\n" || $0 == "\t" ? "\u{FFFD}" : $0 }))
    }

    /// The text as lines: as ``printable``, but line feeds and tabs stay.
    package var printableLines: String {
        guard utf8.contains(where: { !$0.isPlainASCII && $0 != 0x0A && $0 != 0x09 }) else { return String(self) }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }

    /// A JSON text with the same value, in which control characters are written as `\u009b`. A JSON text has them within strings only.
    package var jsonEscaped: String {
        guard unicodeScalars.contains(where: \.isControl) else { return String(self) }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isControl {
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension [UInt8] {
    /// The bytes of a JSON text as ``StringProtocol/jsonEscaped`` has it.
    package var jsonEscaped: [UInt8] {
        allSatisfy { $0.isPlainASCII || $0 == 0x0A || $0 == 0x09 }
            ? self : Array(String(decoding: self, as: UTF8.self).jsonEscaped.utf8)
    }
}

extension UInt8 {
    /// Whether it is a character of ASCII that is shown, or a blank.
    fileprivate var isPlainASCII: Bool { (0x20..<0x7F).contains(self) }
}

extension Unicode.Scalar {
    /// Whether a terminal or a reader acts on it: C0 but for line feed and tab, DEL, C1, the line and paragraph separators, and the
    /// characters that change the direction of what follows (Unicode Standard Annex 9, section 2).
    fileprivate var isControl: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
