import Glibc
import OdographHarness
import Testing

@testable import OdographCivilTime

@Suite("Damaged zone files")
struct ZoneMutationTests {
    private static let names = ["Europe/Madrid", "America/New_York", "Africa/Casablanca", "Asia/Tehran", "Etc/GMT-14"]

    private static var seeds: [[UInt8]] {
        names.compactMap { try? ZoneDirectory.bytes(ofFile: "\(ZoneDirectory.system.path)/\($0)") }
    }

    @Test("A changed zone file is a zone that answers at any time, or is refused with a message")
    func mutations() throws {
        let seeds = Self.seeds
        try #require(!seeds.isEmpty, "the package tzdata is missing")
        var random = SplitMix64(seed: 9636)
        var read = 0
        for _ in 0..<1500 {
            let bytes = Self.mutated(seeds[Int.random(in: 0..<seeds.count, using: &random)], &random)
            do throws(ZoneRulesError) {
                try check(ZoneRules(identifier: "damaged", tzif: bytes))
                read += 1
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(read > 40)
    }

    private func check(_ rules: ZoneRules) {
        for milliseconds in [Int64.min, -3_000_000_000_000, 0, 1_795_252_502_123, 5_000_000_000_000, .max] {
            let instant = Timestamp(millisecondsSinceEpoch: milliseconds)
            let offset = rules.utcOffsetSeconds(at: instant)
            if !(-89_999...93_599).contains(offset) { Issue.record("an offset of \(offset)") }
            guard let next = rules.nextTransition(after: instant) else { continue }
            if next <= instant || rules.utcOffsetSeconds(at: next) == offset { Issue.record("no change at \(next)") }
        }
    }

    private static func mutated(_ seed: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            guard !bytes.isEmpty else { return [1] }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 2 where Int.random(in: 0..<20, using: &random) == 0: bytes.removeSubrange(place...)
            default: bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return bytes
    }
}
