/// The subset of JSON that the corpora use, so that these tests need no other module.
indirect enum SmallJSON {
    case number(Double)
    case text(String)
    case list([SmallJSON])
    case object([String: SmallJSON])
    case null

    /// - Returns: Nil if the text is not in the subset.
    init?(parsing text: some Sequence<UInt8>) {
        var reader = Reader(bytes: Array(text))
        guard let value = reader.value() else { return nil }
        self = value
    }

    subscript(_ key: String) -> SmallJSON {
        if case .object(let members) = self { return members[key] ?? .null }
        return .null
    }

    var list: [SmallJSON] { if case .list(let items) = self { items } else { [] } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func next() -> UInt8? {
            while position < bytes.count, [32, 9, 10, 13, 44, 58].contains(bytes[position]) { position += 1 }
            return position < bytes.count ? bytes[position] : nil
        }

        mutating func value() -> SmallJSON? {
            switch next() {
            case UInt8(ascii: "{"):
                position += 1
                var members: [String: SmallJSON] = [:]
                while let byte = next(), byte != UInt8(ascii: "}") {
                    guard let key = value()?.text, let member = value() else { return nil }
                    members[key] = member
                }
                position += 1
                return .object(members)
            case UInt8(ascii: "["):
                position += 1
                var items: [SmallJSON] = []
                while let byte = next(), byte != UInt8(ascii: "]") {
                    guard let item = value() else { return nil }
                    items.append(item)
                }
                position += 1
                return .list(items)
            case UInt8(ascii: "\""):
                let start = position + 1
                guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
                position = end + 1
                return .text(String(decoding: bytes[start..<end], as: UTF8.self))
            case UInt8(ascii: "n"):
                position += 4
                return .null
            case .some:
                let end = bytes[position...].firstIndex { [44, 93, 125, 10, 32].contains($0) } ?? bytes.count
                guard end > position, let number = Double(String(decoding: bytes[position..<end], as: UTF8.self))
                else { return nil }
                position = end
                return .number(number)
            case nil: return nil
            }
        }
    }
}
