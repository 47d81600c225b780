import FoundationEssentials

/// Encodes and decodes JSON; the only place that configures the coders. ``JSON5Parser`` reads texts that people write.
package enum JSONCoder {
    /// Returns compact JSON with sorted keys: equal values give equal bytes.
    package static func bytes(of value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// Returns the compact JSON of a value that encodes as an object, with sorted keys, without its first brace. It is
    /// never empty. A number that is not finite is `null`.
    package static func objectTail(of value: some Encodable) -> [UInt8] {
        JSONTreeEncoder.tree(of: value).objectTail
    }

    /// Returns the same as text that is safe to print: control characters beyond ASCII are escaped, too.
    package static func string(of value: some Encodable) throws -> String {
        String(decoding: try bytes(of: value), as: UTF8.self).jsonEscaped
    }

    /// Returns a value as a JSON value.
    package static func value(of value: some Encodable) throws -> JSONValue {
        try decode(JSONValue.self, from: bytes(of: value))
    }

    /// Returns the members of a value that encodes as an object; none for other values.
    package static func members(of value: some Encodable) throws -> [String: JSONValue] {
        guard case .object(let members) = try self.value(of: value) else { return [:] }
        return members
    }

    /// Returns indented JSON for people.
    package static func prettyString(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(value), as: UTF8.self).jsonEscaped
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Decodes a value from a parsed document.
    package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try decode(type, from: bytes(of: value))
    }
}
