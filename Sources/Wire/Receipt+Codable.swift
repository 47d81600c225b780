extension Receipt: Codable {
    private enum CodingKeys: String, CodingKey {
        case databaseID = "database_id"
        case revision, interval, epochs
        case isPartial = "partial"
        case conflicts
    }

    /// Decodes a receipt.
    /// - Throws: `DecodingError` for a receipt that contradicts itself, for example with overlapping ranges.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        databaseID = try container.decode(String.self, forKey: .databaseID)
        revision = try container.decode(Int64.self, forKey: .revision)
        interval = try container.decode(Int.self, forKey: .interval)
        epochs = try container.decode([Epoch].self, forKey: .epochs)
        isPartial = try container.decodeIfPresent(Bool.self, forKey: .isPartial) ?? false
        conflicts = try container.decodeIfPresent(Int.self, forKey: .conflicts) ?? 0
        guard zip(epochs, epochs.dropFirst()).allSatisfy({ $0.epoch < $1.epoch }) else {
            throw Self.contradiction(decoder, "epochs are ascending, each at most once")
        }
    }

    /// Encodes the receipt. Keys with the value 0 or false are absent.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(databaseID, forKey: .databaseID)
        try container.encode(revision, forKey: .revision)
        try container.encode(interval, forKey: .interval)
        try container.encode(epochs, forKey: .epochs)
        if isPartial { try container.encode(true, forKey: .isPartial) }
        if conflicts > 0 { try container.encode(conflicts, forKey: .conflicts) }
    }

    fileprivate static func contradiction(_ decoder: any Decoder, _ text: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: text))
    }
}

extension Receipt.Epoch: Codable {
    private enum CodingKeys: String, CodingKey {
        case epoch, through, missing, safe
        case isPartial = "partial"
    }

    /// Decodes a statement.
    /// - Throws: `DecodingError` for a statement that contradicts itself, for example with a range above `through`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        epoch = try container.decode(Int64.self, forKey: .epoch)
        through = try container.decode(Int64.self, forKey: .through)
        safe = try container.decodeIfPresent(Int64.self, forKey: .safe) ?? 0
        isPartial = try container.decodeIfPresent(Bool.self, forKey: .isPartial) ?? false
        let pairs = try container.decodeIfPresent([[Int64]].self, forKey: .missing) ?? []
        missing = []
        for pair in pairs {
            guard pair.count == 2, pair[0] > (missing.last?.upperBound ?? 0), pair[0] <= pair[1], pair[1] <= through
            else {
                throw Receipt.contradiction(
                    decoder, "missing has ascending ranges of a first and a last number, from 1 to through")
            }
            missing.append(pair[0]...pair[1])
        }
        guard safe <= through, safe < missing.first?.lowerBound ?? .max else {
            throw Receipt.contradiction(decoder, "safe is at most through, and below the first missing number")
        }
    }

    /// Encodes the statement. Keys without a value are absent.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(epoch, forKey: .epoch)
        try container.encode(through, forKey: .through)
        if !missing.isEmpty {
            try container.encode(missing.map { [$0.lowerBound, $0.upperBound] }, forKey: .missing)
        }
        if safe > 0 { try container.encode(safe, forKey: .safe) }
        if isPartial { try container.encode(true, forKey: .isPartial) }
    }
}
