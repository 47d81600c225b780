/// Text for terminals and programs that accept only ASCII.
package enum ASCIIText {
    /// Returns whether the locale of an environment asks for ASCII: the locale "C" or "POSIX", or a character set other
    /// than UTF-8. Without a locale, the text is UTF-8.
    /// - Parameter variable: Returns the value of an environment variable.
    package static func isWanted(_ variable: (String) -> String?) -> Bool {
        // The order of POSIX: LC_ALL overrides the category, which overrides LANG.
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        guard let locale = names.compactMap({ variable($0) }).first(where: { !$0.isEmpty }) else {
            return false
        }
        if locale == "C" || locale == "POSIX" { return true }
        guard let dot = locale.firstIndex(of: ".") else { return false }
        let set = locale[dot...].dropFirst().prefix { $0 != "@" }.lowercased()
        return set != "utf-8" && set != "utf8"
    }

    /// Returns text in ASCII. A character becomes what people write for it, such as `+/-` and `->`, an unknown one a
    /// question mark. A longer text takes the place of spaces beside it, so that the columns of tables stay. At the end
    /// of a column an ellipsis takes the place of letters.
    /// - Parameter width: The width of the terminal, characters: a line that was not wider is not wider afterwards.
    package static func text(_ text: String, width: Int? = nil) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line($0, width: width) }
            .joined(separator: "\n")
    }

    private static func line(_ line: Substring, width: Int?) -> String {
        let scalars = Array(line.unicodeScalars)
        var written: [Unicode.Scalar] = []
        // The characters that the line is longer than before.
        var excess = 0
        for (index, scalar) in scalars.enumerated() {
            guard !scalar.isASCII else {
                if scalar == " ", excess > 0, written.suffix(2) == [" ", " "] {
                    excess -= 1
                } else {
                    written.append(scalar)
                }
                continue
            }
            let replacement = Array((replacements[scalar] ?? "?").unicodeScalars)
            excess += replacement.count - 1
            let isEndOfColumn = scalars.count == index + 1 || scalars[index...].dropFirst().starts(with: [" ", " "])
            while excess > 0, !written.isEmpty,
                written.suffix(3) == [" ", " ", " "]
                    || scalar == "…" && isEndOfColumn && written.suffix(2) != [" ", " "]
            {
                written.removeLast()
                excess -= 1
            }
            written += replacement
        }
        if let width, scalars.count <= width { written = Array(written.prefix(width)) }
        return String(String.UnicodeScalarView(written))
    }

    /// Returns JSON in ASCII: other characters are escaped, so that the values stay the same.
    package static func json(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x80 }) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            guard !scalar.isASCII else { return text.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    private static let replacements: [Unicode.Scalar: String] = [
        "→": "->", "←": "<-", "↑": "^", "↓": "v", "…": "...", "±": "+/-", "×": "x", "·": ".", "•": "*", "–": "-",
        "—": "-", "−": "-", "‐": "-", "‑": "-", "“": "\"", "”": "\"", "‘": "'", "’": "'", "≤": "<=", "≥": ">=",
        "°": " deg", "µ": "u", "\u{A0}": " ", "█": "#", "▒": "+",
    ]
}
