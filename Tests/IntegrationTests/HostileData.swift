import FoundationEssentials
import OdographHarness
import OdographJSON
import OdographWire

/// Data that attacks the terminal or the reader that shows it.
enum HostileData {
    /// A text that sets the title, clears the screen, overwrites and forges lines, sets colours, and reverses text.
    static let text =
        "x\u{1B}]0;owned\u{07}\u{1B}[2J\u{1B}[31m\rFORGED\nFORGED\r\nFORGED\u{7F}\u{08}\u{9B}31m\u{85}FORGED\u{202E}\u{2066}\u{2028}\u{200F}z"
    /// The same, short enough for an event's identifier.
    static let short = "x\u{1B}[2J\rFORGED\nFORGED\u{9B}31m\u{202E}z"
    /// The same for a topic, which must not contain control characters.
    static let name = "van\u{202E}\u{2066}1"
    /// The text as JSON.
    static let json = spelled(text)

    static func spelled(_ text: String) -> String {
        let bytes = try? JSONEncoder().encode([text])
        return String(String(decoding: bytes ?? Data(), as: UTF8.self).dropFirst().dropLast())
    }

    /// Returns the faults of an output: characters that a terminal acts on, and forged lines.
    static func faults(in output: String) -> [String] {
        let controls = output.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A: false
            case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
        let names = Set(controls.map { "U+" + String($0.value, radix: 16) }).sorted()
        return names + output.split(separator: "\n").filter { $0.hasPrefix("FORGED") }.map(String.init)
    }

    /// Returns a document in which every string is hostile, except strings whose change makes the document undecodable.
    static func poisoned<Value: Decodable>(_ document: String, as type: Value.Type) throws -> String {
        var value = try JSONDecoder().decode(JSONValue.self, from: Data(document.utf8))
        for path in paths(in: value) {
            let changed = replacing(path[...], in: value)
            let bytes = try JSONEncoder().encode(changed)
            if (try? JSONDecoder().decode(type, from: bytes)) != nil { value = changed }
        }
        return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    private enum Step { case key(String), index(Int) }

    private static func paths(in value: JSONValue) -> [[Step]] {
        switch value {
        case .string: [[]]
        case .array(let items): items.indices.flatMap { index in paths(in: items[index]).map { [.index(index)] + $0 } }
        case .object(let members):
            members.keys.sorted().flatMap { key in paths(in: members[key] ?? .null).map { [.key(key)] + $0 } }
        default: []
        }
    }

    private static func replacing(_ path: ArraySlice<Step>, in value: JSONValue) -> JSONValue {
        switch (path.first, value) {
        case (nil, _): return .string(text)
        case (.index(let index)?, .array(var items)):
            items[index] = replacing(path.dropFirst(), in: items[index])
            return .array(items)
        case (.key(let key)?, .object(var members)):
            members[key] =
                key == "event_id" ? .string(short) : replacing(path.dropFirst(), in: members[key] ?? .null)
            return .object(members)
        default: return value
        }
    }
}
