extension JSON5Scanner {
    /// Takes a string in single or double quotes.
    package mutating func string() throws(JSON5Error) -> String {
        let start = position
        let quote = nextByte
        advance()
        var units: [UInt8] = []
        while let byte = nextByte {
            if byte == quote {
                advance()
                return String(decoding: units, as: UTF8.self)
            }
            switch byte {
            case UInt8(ascii: "\\"): units += Array(try escape().utf8)
            case 0x0A, 0x0D:
                throw error("unterminated string in this line; write the closing quote", at: start)
            default:
                units.append(byte)
                advance()
            }
        }
        throw error("unterminated string; write the closing quote", at: start)
    }

    /// What a backslash and what follows it stand for.
    private mutating func escape() throws(JSON5Error) -> String {
        let start = position
        advance()
        guard let byte = nextByte else {
            throw error("the document ends within a string; it may be truncated", at: start)
        }
        advance()
        switch Unicode.Scalar(byte) {
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{0B}"
        case "0": return "\u{00}"
        case "x": return String(decoding: [try hexadecimal(digits: 2, since: start)], as: UTF16.self)
        case "u": return try unicode(since: start)
        case "1"..."9": throw error("invalid escape with a digit from 1 to 9; write \\u and four digits", at: start)
        case "\r":
            _ = consume("\n")
            return ""
        case "\n": return ""
        // Whatever else follows stands for itself, its other bytes too.
        default: return byte < 0x80 ? String(Unicode.Scalar(byte)) : rest(ofCharacterWith: byte)
        }
    }

    private mutating func rest(ofCharacterWith byte: UInt8) -> String {
        var units = [byte]
        while let more = nextByte, more & 0xC0 == 0x80 {
            units.append(more)
            advance()
        }
        let character = String(decoding: units, as: UTF8.self)
        return character == "\u{2028}" || character == "\u{2029}" ? "" : character
    }

    private mutating func unicode(since start: Int) throws(JSON5Error) -> String {
        var units = [try hexadecimal(digits: 4, since: start)]
        if UTF16.isLeadSurrogate(units[0]) {
            guard consume("\\"), consume("u") else {
                throw error("incomplete surrogate pair; write both halves", at: start)
            }
            units.append(try hexadecimal(digits: 4, since: start))
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw error("incomplete surrogate pair; write both halves", at: start)
        }
        return text
    }

    private mutating func hexadecimal(digits: Int, since start: Int) throws(JSON5Error) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<digits {
            guard let byte = nextByte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("this escape needs \(digits) hexadecimal digits", at: start)
            }
            value = value << 4 | UInt16(digit)
            advance()
        }
        return value
    }
}
