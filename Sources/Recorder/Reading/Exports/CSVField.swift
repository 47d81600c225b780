import OdographJSON
import OdographSettings

/// A field of a table with commas (RFC 4180).
enum CSVField: Hashable, Sendable {
    /// A text, which can come from a vehicle.
    case text(String)
    /// A number or a truth value.
    case number(String)
    /// No value.
    case empty

    /// A text, or no value.
    init(_ text: String?) { self = text.map { .text($0) } ?? .empty }

    /// A number, or no value.
    init(_ number: Double?) { self = number.map { .number("\($0)") } ?? .empty }

    /// A truth value, 1 or 0, or no value.
    init(_ value: Bool?) { self = value.map { .number($0 ? "1" : "0") } ?? .empty }

    /// The value in JSON. No value is null.
    var jsonValue: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): Int64(number).map { .integer($0) } ?? Double(number).map { .number($0) } ?? .null
        case .empty: .null
        }
    }

    /// Returns a line of fields.
    static func line(_ fields: [CSVField]) -> String { fields.map(\.written).joined(separator: ",") + "\n" }

    private var written: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): number
        case .empty: ""
        }
    }

    /// Characters with which a spreadsheet begins a formula, also in their wide forms.
    private static let formulaBeginnings: Set<Character> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]

    /// Returns a text that no program reads as a formula, as several fields or as several lines. A spreadsheet would
    /// run a formula, which could send the other cells away.
    private static func quoted(_ text: String) -> String {
        var text = text.printable
        if let first = text.first(where: { $0 != " " && $0 != "\"" }), formulaBeginnings.contains(first) {
            text = "'" + text
        }
        guard text.contains(where: { "\",;".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
