import OdographCivilTime
import OdographModel

/// Positions that wait for their date, in the order of their arrival.
struct UndatedFixQueue: Equatable, Sendable {
    /// The largest number of positions: half an hour at one a second, 1.4 days at the widest spacing; 70 bytes each.
    static let capacity = 2048
    /// The widest spacing to which the queue is thinned, milliseconds: one a minute still shows the route.
    static let maximumSpacingMilliseconds: Int64 = 60_000

    private(set) var fixes: [ReceivedFix] = []
    /// The minimum spacing of positions, milliseconds; it doubles when the queue is full.
    private var minimumSpacingMilliseconds: Int64 = 0

    var isEmpty: Bool { fixes.isEmpty }

    /// Removes all positions and returns them.
    mutating func takeAll() -> [ReceivedFix] {
        defer { self = UndatedFixQueue() }
        return fixes
    }

    /// Appends a position.
    /// - Returns: the oldest positions that still do not fit after thinning, oldest first.
    mutating func append(_ position: ReceivedFix) -> [ReceivedFix] {
        if let last = fixes.last, isTooSoon(position, after: last) { return [] }
        fixes.append(position)
        while fixes.count > Self.capacity, minimumSpacingMilliseconds < Self.maximumSpacingMilliseconds { thin() }
        guard fixes.count > Self.capacity else { return [] }
        defer { fixes.removeFirst(Self.capacity / 4) }
        return Array(fixes.prefix(Self.capacity / 4))
    }

    private func isTooSoon(_ position: ReceivedFix, after last: ReceivedFix) -> Bool {
        position.fix.received.uptimeMilliseconds - last.fix.received.uptimeMilliseconds < minimumSpacingMilliseconds
    }

    private mutating func thin() {
        minimumSpacingMilliseconds = min(max(2 * minimumSpacingMilliseconds, 1000), Self.maximumSpacingMilliseconds)
        var kept: [ReceivedFix] = []
        for position in fixes where kept.last.map({ !isTooSoon(position, after: $0) }) ?? true {
            kept.append(position)
        }
        fixes = kept
    }
}

/// The encoding of ``InputJournal``, since a saved state may contain many positions.
extension UndatedFixQueue: Codable {
    private enum CodingKeys: String, CodingKey { case journal, spacing }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        minimumSpacingMilliseconds = try values.decode(Int64.self, forKey: .spacing)
        fixes = try InputJournal.inputs(in: try values.decode([UInt8].self, forKey: .journal)).compactMap {
            if case .undated(let position) = $0 { position } else { nil }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var journal = InputJournal()
        for position in fixes { _ = journal.append(.undated(position)) }
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(minimumSpacingMilliseconds, forKey: .spacing)
        try values.encode(journal.bytes, forKey: .journal)
    }
}
