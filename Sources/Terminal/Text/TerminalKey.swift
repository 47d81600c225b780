/// A key of a terminal.
package enum TerminalKey: Hashable, Sendable {
    /// A printable character.
    case character(Character)
    /// Scrolling keys.
    case up, down, pageUp, pageDown, home, end
    /// Editing keys.
    case enter, backspace, escape

    /// Reads the keys of an input. Sequences that are not known are ignored.
    /// - Parameter bytes: What the terminal sent. Source of the sequences: xterm's ctlseqs.
    package static func keys(_ bytes: [UInt8]) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            switch first {
            case 0x1B:
                guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
                    keys.append(.escape)
                    continue
                }
                rest = rest.dropFirst()
                let parameters = rest.prefix { (0x20..<0x40).contains($0) }
                rest = rest.dropFirst(parameters.count)
                if let end = rest.popFirst(), let key = key(Array(parameters), end) { keys.append(key) }
            case 0x0D, 0x0A: keys.append(.enter)
            case 0x7F, 0x08: keys.append(.backspace)
            case 0x02: keys.append(.pageUp)
            case 0x06: keys.append(.pageDown)
            case 0x20..<0x7F: keys.append(.character(Character(Unicode.Scalar(first))))
            case 0xC2...:
                let more = rest.prefix { (0x80..<0xC0).contains($0) }
                rest = rest.dropFirst(more.count)
                if let text = String(validating: [first] + more, as: UTF8.self), let character = text.first {
                    keys.append(.character(character))
                }
            default: break
            }
        }
        return keys
    }

    private static func key(_ parameters: [UInt8], _ end: UInt8) -> TerminalKey? {
        switch (String(decoding: parameters, as: UTF8.self), Character(Unicode.Scalar(end))) {
        case (_, "A"): .up
        case (_, "B"): .down
        case (_, "H"), ("1", "~"), ("7", "~"): .home
        case (_, "F"), ("4", "~"), ("8", "~"): .end
        case ("5", "~"): .pageUp
        case ("6", "~"): .pageDown
        default: nil
        }
    }
}
