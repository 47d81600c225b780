extension Timestamp: Codable {
    /// Reads an ISO-8601 string.
    /// - Throws: `DecodingError.dataCorrupted` if the string is not ISO-8601 with a zone.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let parsed = Timestamp(iso8601: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is not a time; write it like 2026-11-21T09:15:02.000Z")
        }
        self = parsed
    }

    /// Writes the instant as ``iso8601``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(iso8601)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The instant as ``iso8601``.
    public var description: String { iso8601 }
}
