import OdographJSON

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
    var printableLines: String {
        guard utf8.contains(where: { !$0.isPlainASCII && $0 != 0x0A && $0 != 0x09 }) else { return String(self) }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }
}

extension UInt8 {
    /// Whether it is a character of ASCII that is shown, or a blank.
    fileprivate var isPlainASCII: Bool { (0x20..<0x7F).contains(self) }
}
