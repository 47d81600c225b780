import OdographGeodesy

/// The identifier of an event of a timeline, the same in all its revisions.
///
/// It is made from the tracker's seed and a counter: the same inputs give the same identifiers, and two trackers differ
/// by their seeds.
public struct TimelineEventID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The first 64 bits of the UUID.
    public let high: UInt64
    /// The last 64 bits of the UUID.
    public let low: UInt64

    /// Makes the identifier of an event.
    /// - Parameter counter: The number of the event in this tracker.
    init(seed: TrackerSeed, counter: UInt64) {
        // Version 8 (RFC 9562, 5.8: bits of the maker's choice) and the variant 10.
        high = splitMix64(seed.first &+ splitMix64(counter)) & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        low = splitMix64(seed.second ^ splitMix64(counter &+ 0x9E37_79B9_7F4A_7C15)) & (UInt64.max >> 2) | 1 << 63
    }

    /// Reads an identifier. Nil for a text that is no UUID in its usual form.
    public init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard text.utf8.count == 36, digits.count == 32,
            let high = UInt64(String(decoding: digits.prefix(16), as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits.suffix(16), as: UTF8.self), radix: 16)
        else { return nil }
        self.high = high
        self.low = low
    }

    /// The UUID in its usual form, in lower case.
    public var description: String {
        let digits = Self.digits(of: high) + Self.digits(of: low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    private static func digits(of value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// The 128 bits that the identifiers of a tracker are made from. They are drawn at random once and kept in its state.
struct TrackerSeed: Equatable, Sendable, Codable {
    var first: UInt64
    var second: UInt64
}
