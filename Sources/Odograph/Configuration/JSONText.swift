import FoundationEssentials
import Wire

/// JSON and JSON5 in and out: the one place that configures the coders.
enum JSONText {
    /// Compact JSON with its keys in order, so that the same value is always the same bytes.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    static func string(of value: some Encodable) throws -> String {
        String(decoding: try bytes(of: value), as: UTF8.self)
    }

    /// JSON for a person to read.
    static func pretty(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Reads a JSON5 document, comments, bare keys and all.
    /// - Throws: ``ConfigurationIssue`` as an error of the whole document, with line and column.
    static func json5(_ bytes: [UInt8]) throws(JSON5Error) -> JSONValue {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode(JSONValue.self, from: Data(bytes))
        } catch DecodingError.dataCorrupted(let context) {
            let reason = context.underlyingError.map { String(describing: $0) } ?? context.debugDescription
            throw JSON5Error(reason: reason)
        } catch {
            throw JSON5Error(reason: String(describing: error))
        }
    }
}

/// A document that is no JSON5.
struct JSON5Error: Error, Hashable {
    /// What the reader stumbled over.
    let reason: String
}
