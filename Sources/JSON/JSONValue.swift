/// Any JSON value: what a document holds before it is understood, and what users hang on their records.
public enum JSONValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A number without a fraction that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// Text.
    case string(String)
    /// Values in an order.
    case array([JSONValue])
    /// Values by their names.
    case object([String: JSONValue])

    /// What kind of value it is, in the words of an error message.
    public var kindDescription: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// This value with another laid over it: objects key by key, `null` takes a key out, all else replaces.
    ///
    /// Source: RFC 7396, JSON Merge Patch.
    public func applyingMergePatch(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONValue] = [:]
        if case .object(let own) = self { members = own }
        for (key, change) in changes {
            members[key] = change == .null ? nil : (members[key] ?? .null).applyingMergePatch(change)
        }
        return .object(members)
    }
}

extension JSONValue: Codable {
    /// Takes whatever JSON value comes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
