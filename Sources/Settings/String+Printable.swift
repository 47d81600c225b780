import OdographJSON

/// Makes external text safe to print. Control characters in it could move a terminal's cursor, write to the clipboard,
/// begin a new line, or reverse the order of the text.
extension String {
    /// The text for use within one line: U+FFFD replaces control characters and line ends.
    public var printable: String {
        guard hasOther(than: { $0.isPlainASCII }) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isControl || $0 == "\n" || $0 == "\t" ? "\u{FFFD}" : $0 }))
    }

    /// The text for use as lines: as ``printable``, except that line feeds and tabs are kept.
    package var printableLines: String {
        guard hasOther(than: { $0.isPlainASCII || $0 == 0x0A || $0 == 0x09 }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }

    /// Returns whether a byte of the text is none of some bytes. It looks at the buffer of the text: `utf8` of a
    /// generic string costs a call for each byte, which was a third of what `odograph analyze` costs.
    @inline(__always)
    private func hasOther(than isKnown: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in !bytes.allSatisfy(isKnown) } ?? !utf8.allSatisfy(isKnown)
    }
}

extension Substring {
    /// As ``Swift/String/printable``.
    public var printable: String { String(self).printable }
}

extension UInt8 {
    /// Whether it is a printable ASCII character or a space.
    fileprivate var isPlainASCII: Bool { (0x20..<0x7F).contains(self) }
}
