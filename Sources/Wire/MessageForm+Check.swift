import OdographJSON

extension MessageForm {
    /// Checks a message from outside, in one pass.
    ///
    /// It must be strict JSON (RFC 8259) in UTF-8, within the bounds, without U+0000 in a text, which some databases
    /// cannot store, without a number beyond the range of a double, and with each known member at most once. A value of
    /// another type than the form's is left to the decoder.
    /// - Throws: ``MessageError`` with the first violation.
    package func check(_ payload: [UInt8]) throws(MessageError) {
        var check = FormCheck(payload)
        do {
            try check.message(self)
        } catch let error as MessageError {
            throw error
        } catch {
            throw MessageError("is not JSON: \(error)")
        }
    }
}

/// The state of a check.
private struct FormCheck {
    private var scanner: JSONScanner

    init(_ payload: [UInt8]) { scanner = JSONScanner(payload) }

    mutating func message(_ form: MessageForm) throws {
        try value(form, depth: 1)
        guard try scanner.isAtEnd() else { throw MessageError("has text after its end") }
        guard !scanner.hasNullCharacter else { throw MessageError("has the character U+0000 in a text") }
    }

    private mutating func value(_ form: MessageForm, depth: Int) throws {
        guard depth <= JSONScanner.maximumDepth else {
            throw MessageError("is nested deeper than \(JSONScanner.maximumDepth) levels")
        }
        switch try scanner.kind() {
        case .object:
            scanner.open()
            switch form {
            case .object(let members): try object(members, depth)
            case .map(let form): try map(form, depth)
            case .free, .number, .text, .list: try map(.free, depth)
            }
        case .array:
            scanner.open()
            if case .list(let form, let most) = form {
                try list(form, most, depth)
            } else {
                try list(.free, .max, depth)
            }
        case .string:
            try scanner.readString()
            if case .text(let most) = form { try checkLength(most) }
        case .number:
            let number = try scanner.readNumber()
            guard number.isFinite else { throw MessageError("is a number beyond the range of a double") }
            if case .number(let range) = form, !range.contains(number) {
                throw MessageError("is not from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
            }
        case .bool, .null: _ = try scanner.readLiteral()
        }
    }

    private mutating func object(_ members: MessageForm.Members, _ depth: Int) throws {
        var (seen, expected): (UInt64, Int) = (0, 0)
        while try scanner.nextMember() {
            var found: Int?
            scanner.withText { found = members.index(of: $0, expected: expected) }
            guard let index = found else {
                try value(.free, depth: depth + 1)
                continue
            }
            do {
                guard seen & 1 << UInt64(index) == 0 else { throw MessageError("is there twice") }
                seen |= 1 << UInt64(index)
                expected = index + 1
                try value(members.all[index].form, depth: depth + 1)
            } catch let error as MessageError {
                throw error.inside(String(decoding: members.all[index].name, as: UTF8.self))
            }
        }
    }

    private mutating func map(_ form: MessageForm, _ depth: Int) throws {
        while try scanner.nextMember() { try value(form, depth: depth + 1) }
    }

    private mutating func list(_ form: MessageForm, _ most: Int, _ depth: Int) throws {
        var count = 0
        while try scanner.nextElement() {
            count += 1
            guard count <= most else { throw MessageError("has more than \(most) elements") }
            do {
                try value(form, depth: depth + 1)
            } catch let error as MessageError {
                throw error.inside("[\(count - 1)]")
            }
        }
    }

    private func checkLength(_ most: Int) throws {
        // A character has at most four bytes, and each but the first one begins with the bits 10.
        guard scanner.text.count > most, scanner.text.reduce(0, { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }) > most else {
            return
        }
        throw MessageError("is longer than \(most) characters")
    }

    private static func text(_ bound: Double) -> String { Int64(exactly: bound).map { "\($0)" } ?? "\(bound)" }
}
