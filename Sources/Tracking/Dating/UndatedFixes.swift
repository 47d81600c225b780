import CivilTime

/// Positions that wait for their date, in the order in which they came.
struct UndatedFixes: Equatable, Sendable {
    /// As many wait: half an hour at one a second, a day and a half at the widest spacing; 70 bytes each.
    static let capacity = 2048
    /// They are thinned until they are this far from each other, milliseconds: at one a minute the way is still known.
    static let widestSpacingMilliseconds: Int64 = 60_000

    private(set) var waiting: [UndatedFix] = []
    /// No two are nearer to each other than this, milliseconds; it doubles when there is no room.
    private var spacingMilliseconds: Int64 = 0

    var isEmpty: Bool { waiting.isEmpty }

    /// - Returns: those that have to give way, oldest first.
    mutating func add(_ position: UndatedFix) -> [UndatedFix] {
        if let last = waiting.last, isTooNear(position, after: last) { return [] }
        waiting.append(position)
        while waiting.count > Self.capacity, spacingMilliseconds < Self.widestSpacingMilliseconds { thin() }
        guard waiting.count > Self.capacity else { return [] }
        defer { waiting.removeFirst(Self.capacity / 4) }
        return Array(waiting.prefix(Self.capacity / 4))
    }

    private func isTooNear(_ position: UndatedFix, after last: UndatedFix) -> Bool {
        position.fix.received.uptimeMilliseconds - last.fix.received.uptimeMilliseconds < spacingMilliseconds
    }

    private mutating func thin() {
        spacingMilliseconds = min(max(2 * spacingMilliseconds, 1000), Self.widestSpacingMilliseconds)
        var kept: [UndatedFix] = []
        for position in waiting where kept.last.map({ !isTooNear(position, after: $0) }) ?? true {
            kept.append(position)
        }
        waiting = kept
    }
}

/// In the journal's few bytes: there are many of them in a saved state.
extension UndatedFixes: Codable {
    private enum CodingKeys: String, CodingKey { case journal, spacing }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        spacingMilliseconds = try values.decode(Int64.self, forKey: .spacing)
        waiting = try InputJournal.inputs(in: try values.decode([UInt8].self, forKey: .journal)).compactMap {
            if case .undated(let position) = $0 { position } else { nil }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var journal = InputJournal()
        for position in waiting { _ = journal.append(.undated(position)) }
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(spacingMilliseconds, forKey: .spacing)
        try values.encode(journal.bytes, forKey: .journal)
    }
}
