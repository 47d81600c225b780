extension JSONScanner {
    /// Takes a number.
    /// - Returns: the nearest double; infinite if the number exceeds a double's range.
    package mutating func readNumber() throws(JSONError) -> Double {
        if let value = bytes.withUnsafeBufferPointer({ DecimalNumber.parse($0, &position) }) { return value }
        // The number is at the end of the piece, or it is malformed.
        try readNumberText()
        guard let value = Double(string) else { throw failure("\(string) is no number") }
        return value
    }

    /// Takes a value of any kind.
    /// - Returns: the number; nil for other kinds of values.
    package mutating func readNumberOrSkip() throws(JSONError) -> Double? {
        let byte = try peekToken()
        if byte &- 0x30 <= 9 || byte == UInt8(ascii: "-") { return try readNumber() }
        try skipValue()
        return nil
    }

    /// Takes a number. ``text`` has its spelling then.
    package mutating func readNumberText() throws(JSONError) {
        textRange = nil
        assembled.removeAll(keepingCapacity: true)
        if try peekToken() == UInt8(ascii: "-") { try keep() }
        if try peek() == UInt8(ascii: "0") { try keep() } else { try keepDigits() }
        if try hasByte(), bytes[position] == UInt8(ascii: ".") {
            try keep()
            try keepDigits()
        }
        if try hasByte(), bytes[position] | 0x20 == UInt8(ascii: "e") {
            try keep()
            if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(try peek()) { try keep() }
            try keepDigits()
        }
        guard try hasByte() else { return }
        switch Unicode.Scalar(bytes[position]) {
        case "0"..."9": throw failure("a number with a zero before it: take the zero out")
        case ".", "+", "-", "A"..."Z", "a"..."z": throw failure("\(seen()) does not belong into a number")
        default: return
        }
    }

    private mutating func keep() throws(JSONError) {
        guard assembled.count < DecimalNumber.maximumLength else {
            throw failure("a number of more than \(DecimalNumber.maximumLength) characters")
        }
        assembled.append(try take())
    }

    private mutating func keepDigits() throws(JSONError) {
        guard (0x30...0x39).contains(try peek()) else { throw failure("a digit was expected, not \(seen())") }
        while try hasByte(), (0x30...0x39).contains(bytes[position]) { try keep() }
    }
}
