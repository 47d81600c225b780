import OdographHarness
import Testing

@testable import Odograph

@Suite("Damaged documents")
struct DocumentMutationTests {
    private static let seeds = [
        "{ version: '1', tracking: { enabled: true, schedule: '* 10-20 * * 1-5', time_zone: 'UTC', off_schedule: "
            + "{ mode: 'private' } } }",
        "{ tracking: { desired_accuracy: 5e1, heartbeat_interval: 0x3C, stationary: { speed: .85, }, retention: 86400 } }",
        "{ tracking: { sampling: { minimum_interval: 200, maximum_interval: 400 } } }\u{0}"
            + "{ tracking: { sampling: { maximum_interval: 100 } } }\u{0}{ tracking: { sampling: null } }",
        "{ tracking: { extras: { a: null, 'bé': [1, { c: \"\\u00e9\\n\", d: -1.5e-7 }] } } }\u{0}\u{0}{ fleet: 'x' }",
    ]
    private static let pieces = [
        "{", "}", "[", "]", ":", ",", "'", "\"", "\\", "//", "/*", "*/", "\n", "\u{0}", "0x", "-0x8000000000000000",
        "1e309",
        "-", "NaN", "null", "true", "9", "é", "\u{FEFF}", "tracking", "sampling", "extras", "schedule", "'* * * * *'",
    ]

    @Test("A damaged document applies as a whole or changes nothing, and reads back as the same")
    func mutations() throws {
        var random = SplitMix64(seed: 2026)
        let oracle = try DocumentOracle()
        var applied = 0
        for _ in 0..<2000 {
            let input = Self.mutated(&random)
            do {
                applied += try oracle.check(input)
            } catch {
                Issue.record("\(error): \(String(decoding: input, as: UTF8.self)) \(input)")
            }
        }
        #expect(applied > 300)
    }

    @Test(
        "Numbers at the limits of machine arithmetic are read or refused",
        arguments: [
            "-0x8000000000000000", "0x7fffffffffffffff", "0x8000000000000000", "0x-5", "0x", "0x+1", "-0", "1e308",
            "1e309", "-9223372036854775808", "9223372036854775808", "5e-324",
        ])
    func edges(number: String) throws {
        try DocumentOracle().check(Array("{ tracking: { extras: { n: \(number) } } }".utf8))
        try DocumentOracle().check(Array("{ tracking: { desired_accuracy: \(number) } }".utf8))
    }

    private static func mutated(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = Array(seeds[Int.random(in: 0..<seeds.count, using: &random)].utf8)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where place < bytes.count: bytes.remove(at: place)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2:
                let end = Int.random(in: place...bytes.count, using: &random)
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            default:
                bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8, at: place)
            }
        }
        return bytes
    }
}
