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

    /// Returns text of the same number of characters in ASCII: an ellipsis becomes a tilde, an unknown character a
    /// question mark. The equal length keeps the columns of tables.
    package static func text(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : replacements[$0] ?? "?" }))
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

    private static let replacements: [Unicode.Scalar: Unicode.Scalar] = [
        "→": ">", "←": "<", "↑": "^", "↓": "v", "…": "~", "±": "~", "×": "x", "·": ".", "•": "*", "–": "-", "—": "-",
        "−": "-", "“": "\"", "”": "\"", "‘": "'", "’": "'", "≤": "<", "≥": ">", "°": "d", "µ": "u", "\u{A0}": " ",
        "█": "#", "▒": "+",
    ]
}
