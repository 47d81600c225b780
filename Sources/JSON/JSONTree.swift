/// The JSON value that an `encode(to:)` builds, and its text (RFC 8259).
///
/// Each tree has a text. A number that is not finite, which JSON does not have, is `null`.
struct JSONTree {
    fileprivate enum Node {
        case scalar(String)
        case string(String)
        case array([Slot])
        /// The members in the order in which they were added; of equal keys the last one counts.
        case object([Member])
    }

    fileprivate struct Member {
        var key: String
        var slot: Slot
    }

    /// A place in the tree. Several containers can fill the same place.
    final class Slot {
        fileprivate var node = Node.scalar("null")

        /// Sets a text. U+FFFD replaces U+0000, which some databases cannot store.
        func set(_ value: String) { node = .string(Self.withoutNull(value)) }

        private static func withoutNull(_ text: String) -> String {
            text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text
        }

        func set(_ value: Bool) { node = .scalar(value ? "true" : "false") }

        func set(_ value: some BinaryInteger) { node = .scalar(value.description) }

        /// Sets the shortest text that reads back as the same number.
        func set(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
            let text = value.isFinite ? value.description : "null"
            node = .scalar(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        }

        func setNull() { node = .scalar("null") }

        /// Changes the value to an empty object unless it is an object.
        func makeObject() { if case .object = node {} else { node = .object([]) } }

        /// Changes the value to an empty array unless it is an array.
        func makeArray() { if case .array = node {} else { node = .array([]) } }

        /// Adds a member, or replaces the member of the same key.
        func addMember(_ key: String) -> Slot {
            let slot = Slot()
            guard case .object(var members) = node else { return slot }
            node = .scalar("null")
            members.append(Member(key: Self.withoutNull(key), slot: slot))
            node = .object(members)
            return slot
        }

        /// Appends an item.
        func appendItem() -> Slot {
            let slot = Slot()
            guard case .array(var items) = node else { return slot }
            node = .scalar("null")
            items.append(slot)
            node = .array(items)
            return slot
        }

        var itemCount: Int { if case .array(let items) = node { items.count } else { 0 } }
    }

    let root = Slot()

    /// The text of an object after its opening brace: the members in the order of their keys, and the closing brace.
    var objectTail: [UInt8] {
        var writer = Writer()
        if case .object(let members) = root.node { writer.write(members: members) }
        writer.bytes.append(UInt8(ascii: "}"))
        return writer.bytes
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func write(_ node: Node) {
            switch node {
            case .scalar(let text): bytes += text.utf8
            case .string(let text): write(text)
            case .array(let items):
                bytes.append(UInt8(ascii: "["))
                for (index, item) in items.enumerated() {
                    if index > 0 { bytes.append(UInt8(ascii: ",")) }
                    write(item.node)
                }
                bytes.append(UInt8(ascii: "]"))
            case .object(let members):
                bytes.append(UInt8(ascii: "{"))
                write(members: members)
                bytes.append(UInt8(ascii: "}"))
            }
        }

        mutating func write(members: [Member]) {
            var isFirst = true
            let order = members.indices.sorted {
                members[$0].key == members[$1].key ? $0 < $1 : members[$0].key < members[$1].key
            }
            for (place, index) in order.enumerated() {
                let member = members[index]
                if place + 1 < order.count, members[order[place + 1]].key == member.key { continue }
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                write(member.key)
                bytes.append(UInt8(ascii: ":"))
                write(member.slot.node)
            }
        }

        private mutating func write(_ text: String) {
            JSONStringWriter.append(text.utf8, to: &bytes, usingLetters: true)
        }
    }
}
