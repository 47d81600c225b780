import FoundationEssentials

/// JSON in and out: the one place that configures the coders. What people write is read by ``JSON5Parser``.
package enum JSONCoder {
    /// Compact JSON with its keys in order, so that the same value is always the same bytes.
    package static func bytes(of value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// The compact JSON of a value that encodes as an object, with its keys in order, without its first brace. It is never
    /// empty, and a number that is not finite is `null`.
    package static func objectTail(of value: some Encodable) -> [UInt8] {
        JSONTreeEncoder.tree(of: value).objectTail
    }

    /// The same as text that may be shown: control characters beyond ASCII are escaped as well.
    package static func string(of value: some Encodable) throws -> String {
        String(decoding: try bytes(of: value), as: UTF8.self).jsonEscaped
    }

    /// A value as what its JSON says.
    package static func value(of value: some Encodable) throws -> JSONValue {
        try decode(JSONValue.self, from: bytes(of: value))
    }

    /// The members of a value that is an object; none of another.
    package static func members(of value: some Encodable) throws -> [String: JSONValue] {
        guard case .object(let members) = try self.value(of: value) else { return [:] }
        return members
    }

    /// JSON for a person to read.
    package static func prettyString(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(value), as: UTF8.self).jsonEscaped
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// What a document says that was read already.
    package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try decode(type, from: bytes(of: value))
    }
}
