<<<<<<< HEAD:Sources/Odograph/Support/StringProtocol+Printable.swift
/// Makes external text safe to print. Control characters in it could move a terminal's cursor, write to the clipboard,
/// begin a new line, or reverse the order of the text.
=======
import OdographJSON

/// Makes data fit to be shown. What comes over the wire or out of a file may hold control characters, by which it could move a
/// terminal's cursor, write to the clipboard, begin a line of its own, or reverse the order of what is read.
>>>>>>> 664256f4266f836c41d9050c2e12aa25117d3673:Sources/Odograph/Terminal/StringProtocol+Printable.swift
extension StringProtocol {
    /// The text for use within one line: U+FFFD replaces control characters and line ends.
    public var printable: String {
        guard utf8.contains(where: { !$0.isPlainASCII }) else { return String(self) }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isControl || $0 == "\n" || $0 == "\t" ? "\u{FFFD}" : $0 }))
    }

    /// The text for use as lines: as ``printable``, except that line feeds and tabs are kept.
    package var printableLines: String {
        guard utf8.contains(where: { !$0.isPlainASCII && $0 != 0x0A && $0 != 0x09 }) else { return String(self) }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }
<<<<<<< HEAD:Sources/Odograph/Support/StringProtocol+Printable.swift

    /// JSON text with the same value, with control characters, which occur only in strings, escaped as `\u009b`.
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
    /// The bytes of JSON text, escaped as in ``StringProtocol/jsonEscaped``.
    package var jsonEscaped: [UInt8] {
        allSatisfy { $0.isPlainASCII || $0 == 0x0A || $0 == 0x09 }
            ? self : Array(String(decoding: self, as: UTF8.self).jsonEscaped.utf8)
    }
=======
>>>>>>> 664256f4266f836c41d9050c2e12aa25117d3673:Sources/Odograph/Terminal/StringProtocol+Printable.swift
}

extension UInt8 {
    /// Whether it is a printable ASCII character or a space.
    fileprivate var isPlainASCII: Bool { (0x20..<0x7F).contains(self) }
}
<<<<<<< HEAD:Sources/Odograph/Support/StringProtocol+Printable.swift

extension Unicode.Scalar {
    /// Whether it changes the display: C0 except line feed and tab, DEL, C1, line and paragraph separators, and the
    /// characters that change the text direction (Unicode Standard Annex 9, section 2).
    fileprivate var isControl: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
=======
>>>>>>> 664256f4266f836c41d9050c2e12aa25117d3673:Sources/Odograph/Terminal/StringProtocol+Printable.swift
