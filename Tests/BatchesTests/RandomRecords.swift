import OdographBatches
import OdographCivilTime
import OdographHarness
import OdographWire

/// Random records as JSON texts: all kinds of values, equal and different shapes, and payloads that are not canonical.
struct RandomRecords {
    static let identity = EpochIdentity(epoch: 1_790_000_000, seed: .init(high: 0x0123_4567_89AB_CDEF, low: .max - 9))
    private static let numbers = [
        "0", "-0", "-0.0", "1", "-1", "0.1", "1.50", "100", "1e-05", "1e+16", "5e-324", "1.7976931348623157e+308",
        "9007199254740993", "4503599627370496", "4503599627370497", "-4503599627370496", "0.30000000000000004",
        "123456789012345678901234567890", "0.0000000000000001", "0.000000000000001", "47.12345678901", "01e2", "1E5",
    ]
    private static let strings = [
        "\"\"", "\"still\"", "\"in_vehicle\"", "\"v\"", "\"t\"", "\"Zürich – 東京 🚐\"", "\"\\\"\\\\ \\n\\u0001\"",
        "\"2026-02-30T00:00:00.000Z\"", "\"0000-01-01T00:00:00.000Z\"", "\"9999-12-31T23:59:59.999Z\"",
        "\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:00:00.000+00:00\"", "\"2026-01-01T00:00:60.000Z\"",
    ]
    private static let keys = [
        "accuracy", "activity", "count", "extras", "latitude", "seq", "t", "timestamp", "v", "\\\"", "ä", "東", "🚐", "",
    ]

    var random: SplitMix64
    private var clock: Int64 = 1_790_000_000_000
    private var walk: Int64 = 471_234_567

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A value's kind stays the same in a column.
    private indirect enum Form {
        case number, walk, time, string, constant(String), array, object([(String, Form)])
    }

    private mutating func form(_ depth: Int) -> Form {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: .number
        case 1, 2: .walk
        case 3: .time
        case 4: .string
        case 5: .constant(value(of: .string))
        case 6: .array
        default: depth > 2 ? .constant("null") : .object(members(depth + 1))
        }
    }

    private mutating func members(_ depth: Int) -> [(String, Form)] {
        var members: [(String, Form)] = []
        let names = Self.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for key in names where key != "seq" && Bool.random(using: &random) { members.append((key, form(depth))) }
        return members
    }

    private mutating func value(of form: Form) -> String {
        switch form {
        case .number: return Self.numbers.randomElement(using: &random) ?? "0"
        case .walk:
            walk += Int64.random(in: -900...900, using: &random)
            return (Double(walk) / 1e7).description
        case .time:
            clock += Int64.random(in: -2000...9000, using: &random)
            return "\"\(Timestamp(millisecondsSinceEpoch: clock).iso8601)\""
        case .string: return Self.strings.randomElement(using: &random) ?? "0"
        case .constant(let text): return text
        case .array:
            return ["[]", "[1,2]", "[\"v\",1]", "[0,5]", "[{\"a\":[ 1 ]}]"].randomElement(using: &random) ?? "[]"
        case .object(let members): return "{" + list(members.map { ($0.0, value(of: $0.1)) }) + "}"
        }
    }

    private func list(_ members: [(String, String)]) -> String {
        members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\"\($0.0)\":\($0.1)" }.joined(
            separator: ",")
    }

    /// Returns a random number of records that a batch can have.
    /// - Parameter share: The share of the largest size of a batch that they can have.
    mutating func batch(_ count: ClosedRange<Int>, share: Double = 1) -> [BatchRecord] {
        var bytes = 0
        return Array(
            records(Int.random(in: count, using: &random)).prefix { record in
                bytes += record.payload.count
                return Double(bytes) <= Double(BatchBounds.bytes) * share
            })
    }

    /// Returns records with ascending numbers.
    mutating func records(_ count: Int) -> [BatchRecord] {
        let shapes = (0..<3).map { _ in members(0) }
        var seq = Int64.random(in: 1...1_000_000, using: &random)
        return (0..<count).map { _ in
            seq += Int64.random(in: 1...3, using: &random)
            let channel = [UplinkChannel.location, .geofence, .timeline, .givenUp].randomElement(using: &random)
            let shape = shapes[Int.random(in: 0..<3, using: &random)]
            let uuid =
                Int.random(in: 0..<9, using: &random) == 0
                ? "other" : Self.identity.identity(forSeq: seq).uuid.description
            let own = [("epoch", "\(Self.identity.epoch)"), ("seq", "\(seq)"), ("uuid", "\"\(uuid)\"")]
            var text =
                "{\"device_id\":\"van-7\",\"location\":{"
                + list(shape.map { ($0.0, value(of: $0.1)) } + own) + "}}"
            switch Int.random(in: 0..<20, using: &random) {
            case 0: text = " " + text
            case 1: text = text.replacing(",\"seq\"", with: ", \"seq\"")
            case 2: text = text.replacing("\"van-7\"", with: "\"van-8\"")
            case 3: text = "{\"a\":1}"
            case 4: text = "\u{FEFF} no JSON \u{0} \"\\"
            default: break
            }
            return BatchRecord(channel: channel ?? .location, seq: seq, payload: Array(text.utf8))
        }
    }
}
