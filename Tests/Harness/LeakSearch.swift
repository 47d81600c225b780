/// A search for coordinates in bytes of any kind: text, numbers, and numbers in other encodings.
///
/// A long encoding of one axis (six decimals, 8 bytes of a double) is evidence alone. A short one (five decimals, a
/// scaled integer of 3 to 5 bytes) also occurs by chance, so both axes must be found close to each other.
public struct LeakSearch: Sendable {
    /// One coordinate to look for.
    public struct Place: Hashable, Sendable {
        /// Degrees north.
        public let latitude: Double
        /// Degrees east.
        public let longitude: Double

        /// - Parameters: As the properties of the same names.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// A coordinate that was found.
    public struct Find: Hashable, Sendable, CustomStringConvertible {
        /// The coordinate.
        public let place: Place
        /// The name of the encoding.
        public let encoding: String
        /// The offset of its first byte.
        public let offset: Int

        /// The coordinate, the encoding and the offset in one line.
        public var description: String { "\(place.latitude), \(place.longitude) as \(encoding) at byte \(offset)" }
    }

    /// The largest distance from the end of the first axis to the second axis of a short encoding, bytes.
    private static let pairGap = 24

    private struct Pattern {
        var place: Place
        var encoding: String
        /// The other axis of a short encoding, which must follow closely.
        var partner: [UInt8]?
    }

    /// All patterns by their first three bytes.
    private var patterns: [Int: [(bytes: [UInt8], pattern: Pattern)]] = [:]
    private var known: Set<[UInt8]> = []
    /// Whether a pattern begins with three given bytes.
    private var begins = [Bool](repeating: false, count: 1 << 24)

    /// - Parameter places: The places to find. No axis of a place may be a short decimal.
    public init(_ places: [Place]) {
        for place in places {
            for (encoding, spell) in CoordinateEncoding.long {
                for axis in [place.latitude, place.longitude] {
                    for bytes in spell(axis) { add(bytes, Pattern(place: place, encoding: encoding, partner: nil)) }
                }
            }
            for (encoding, spell) in CoordinateEncoding.short {
                let (first, second) = (spell(place.latitude), spell(place.longitude))
                for (latitude, longitude) in zip(first, second) {
                    add(latitude, Pattern(place: place, encoding: encoding, partner: longitude))
                    add(longitude, Pattern(place: place, encoding: encoding, partner: latitude))
                }
            }
        }
    }

    private mutating func add(_ bytes: [UInt8], _ pattern: Pattern) {
        // Patterns that are mostly zeros occur everywhere in a file. Shared patterns are stored once.
        guard Set(bytes.prefix(3)).count > 1, Set(bytes).count > 2,
            known.insert(bytes + [0] + (pattern.partner ?? [])).inserted
        else { return }
        let key = bytes.prefix(3).reduce(0) { $0 << 8 | Int($1) }
        begins[key] = true
        patterns[key, default: []].append((bytes, pattern))
    }

    /// Returns the coordinates in some bytes, each place and encoding once.
    public func finds(in bytes: [UInt8]) -> [Find] {
        var found: [Find] = []
        var seen: Set<String> = []
        for (offset, key) in candidates(in: bytes) {
            for (spelling, pattern) in patterns[key] ?? [] where bytes[offset...].starts(with: spelling) {
                let end = offset + spelling.count
                if let partner = pattern.partner, !Self.follows(partner, in: bytes, from: end) { continue }
                let find = Find(place: pattern.place, encoding: pattern.encoding, offset: offset)
                if seen.insert("\(find.place) \(find.encoding)").inserted { found.append(find) }
            }
        }
        return found
    }

    private func candidates(in bytes: [UInt8]) -> [(offset: Int, key: Int)] {
        guard bytes.count >= 3 else { return [] }
        var candidates: [(Int, Int)] = []
        bytes.withUnsafeBufferPointer { bytes in
            begins.withUnsafeBufferPointer { begins in
                var key = Int(bytes[0]) << 8 | Int(bytes[1])
                for offset in 0..<bytes.count - 2 {
                    key = (key << 8 | Int(bytes[offset + 2])) & 0xFF_FFFF
                    if begins[key] { candidates.append((offset, key)) }
                }
            }
        }
        return candidates
    }

    private static func follows(_ partner: [UInt8], in bytes: [UInt8], from end: Int) -> Bool {
        (end...end + pairGap).contains { $0 + partner.count <= bytes.count && bytes[$0...].starts(with: partner) }
    }
}
