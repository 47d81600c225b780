import OdographCivilTime
import OdographHarness
import Testing

@testable import OdographStore

@Suite("Epochs")
struct EpochGeneratorTests {
    @Test("A thousand starts of a machine whose clock begins in 1970 give different epochs")
    func withoutClock() {
        var random = SplitMix64(seed: 1)
        let boot = Timestamp(millisecondsSinceEpoch: 12_000)
        let epochs = (0..<1000).map { _ in EpochGenerator.next(after: 0, at: boot, using: &random) }
        #expect(Set(epochs).count == 1000)
        #expect(epochs.allSatisfy { $0 > 4_294_967_295 })
    }

    @Test("An epoch is later than the known one and exact in JSON, at any clock reading", arguments: 0..<5)
    func later(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var known: Int64 = 0
        for _ in 0..<2000 {
            let milliseconds = Int64.random(in: -1_000_000...8_000_000_000_000, using: &random)
            let epoch = EpochGenerator.next(
                after: known, at: Timestamp(millisecondsSinceEpoch: milliseconds), using: &random)
            #expect(epoch > known && epoch < 1 << 53)
            known = epoch
        }
        #expect(EpochGenerator.next(after: 1 << 53 - 2, at: start, using: &random) == 1 << 53 - 1)
    }

    @Test("An invalid epoch counts as none")
    func credible() {
        #expect([0, -1, 1 << 53, .max, .min].map(EpochGenerator.credible) == [0, 0, 0, 0, 0])
        #expect([1, 1_790_000_000, 1 << 52].map(EpochGenerator.credible) == [1, 1_790_000_000, 1 << 52])
    }
}
