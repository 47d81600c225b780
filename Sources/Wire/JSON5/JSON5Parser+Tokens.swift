extension JSON5Parser {
    /// Checks that the bytes are UTF-8, so that nothing later need ask.
    mutating func checkEncoding() throws(JSON5Error) {
        let isValid = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        guard !isValid else {
            // A byte order mark is no part of the document.
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
            return
        }
        throw failure("not UTF-8; save the document in that encoding", at: Self.firstInvalidByte(of: bytes))
    }

    private static func firstInvalidByte(of bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var position = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { position += UTF8.width(scalar) }
        return position
    }

    /// Skips white space and comments.
    mutating func skipBlanks() throws(JSON5Error) {
        while let first = current {
            switch first {
            case 0x09...0x0D, 0x20: position += 1
            case UInt8(ascii: "/"): try skipComment()
            case 0x80...:
                guard let scalar = scalar(), scalar.properties.isWhitespace || scalar.value == 0xFEFF else { return }
                position += UTF8.width(scalar)
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        let start = position
        switch byte(1) {
        case UInt8(ascii: "/"):
            while let next = current, next != 0x0A, next != 0x0D { position += 1 }
        case UInt8(ascii: "*"):
            position += 2
            while !(current == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) {
                guard !isAtEnd else { throw failure("this comment has no end; write */", at: start) }
                position += 1
            }
            position += 2
        default: throw failure("a comment begins with // or /*")
        }
    }

    /// The character at the position; the bytes are known to be UTF-8.
    func scalar() -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes[position...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// A name without quotes.
    mutating func identifier(or problem: String) throws(JSON5Error) -> String {
        let start = position
        while let scalar = scalar(), Self.isNamePart(scalar, isFirst: position == start) {
            position += UTF8.width(scalar)
        }
        guard position > start else { throw failure(problem) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isNamePart(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_", "$": true
        case "0"..."9": !isFirst
        default: scalar.value >= 0x80 && scalar.properties.isAlphabetic
        }
    }

    // MARK: Numbers

    mutating func number() throws(JSON5Error) -> JSONValue {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative || current == UInt8(ascii: "+") { position += 1 }
        if current == UInt8(ascii: "I") || current == UInt8(ascii: "N") {
            let word = try identifier(or: "a number is due here")
            throw failure("\(word.prefix(40)) is no number that can be used", at: start)
        }
        if current == UInt8(ascii: "0"), byte(1).map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            position += 2
            return try hexadecimal(isNegative: isNegative, start: start)
        }
        let digits = position
        while let next = current, Self.isNumberPart(next, after: position > digits ? bytes[position - 1] : 0) {
            position += 1
        }
        var text = String(decoding: bytes[digits..<position], as: UTF8.self)
        if text.count > 1, text.hasPrefix("0"), text.dropFirst().first?.isNumber == true {
            throw failure("a number does not begin with 0", at: start)
        }
        if isNegative { text = "-" + text }
        if let whole = Int64(text), !(whole == 0 && isNegative) { return .integer(whole) }
        guard let number = Double(text) else { throw failure("this is no number", at: start) }
        guard number.isFinite else { throw failure("this number is too large", at: start) }
        return .number(number)
    }

    private static func isNumberPart(_ byte: UInt8, after previous: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"): previous | 0x20 == UInt8(ascii: "e")
        default: false
        }
    }

    private mutating func hexadecimal(isNegative: Bool, start: Int) throws(JSON5Error) -> JSONValue {
        let digits = position
        while let next = current, Self.hexadecimalDigit(next) != nil { position += 1 }
        let text = String(decoding: bytes[digits..<position], as: UTF8.self)
        guard let value = Int64(text, radix: 16) else {
            throw failure("this is no hexadecimal number of up to 63 bits", at: start)
        }
        return .integer(isNegative ? -value : value)
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    // MARK: Strings

    mutating func string() throws(JSON5Error) -> String {
        let start = position
        guard let quote = current else { throw failure("a string is due here") }
        position += 1
        var content: [UInt8] = []
        while let next = current, next != quote {
            switch next {
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &content)
            case 0x0A, 0x0D: throw failure("a string ends on its line; its closing quote is missing", at: start)
            default:
                content.append(next)
                position += 1
            }
        }
        guard !isAtEnd else { throw failure("this string has no end; its closing quote is missing", at: start) }
        position += 1
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSON5Error) {
        guard let scalar = scalar() else { throw failure("the document ends inside of a string") }
        position += UTF8.width(scalar)
        switch scalar {
        case "n": content.append(0x0A)
        case "t": content.append(0x09)
        case "r": content.append(0x0D)
        case "b": content.append(0x08)
        case "f": content.append(0x0C)
        case "v": content.append(0x0B)
        case "0": content.append(0)
        case "x": content += Array(String(Unicode.Scalar(UInt8(truncatingIfNeeded: try digits(2)))).utf8)
        case "u": content += Array(String(try unicodeEscape()).utf8)
        case "\r": if current == 0x0A { position += 1 }
        case "\n", "\u{2028}", "\u{2029}": break
        case "1"..."9": throw failure("there is no escape \\\(scalar)", at: position - 2)
        default: content += Array(String(scalar).utf8)
        }
    }

    private mutating func unicodeEscape() throws(JSON5Error) -> Unicode.Scalar {
        let start = position - 2
        let first = try digits(4)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, take("\\"), take("u") {
            let second = try digits(4)
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw failure("half a surrogate pair is no character", at: start)
    }

    private mutating func digits(_ count: Int) throws(JSON5Error) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = current.flatMap(Self.hexadecimalDigit) else {
                throw failure("\(count) hexadecimal digits are due here")
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }
}
