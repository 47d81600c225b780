import OdographHarness
import Testing

@testable import OdographStore

@Suite("Counting rows in steps")
struct RowCountTests {
    @Test("A range is split at the bounds of the counted part")
    func parts() {
        var tally = RowCount(uncountedThrough: 20)
        tally.addCounted(3, through: 10)
        #expect(tally.subranges(of: 1...30) == [1...10, 11...20, 21...30])
        #expect(tally.subranges(of: 10...11) == [10...10, 11...11])
        #expect(tally.subranges(of: 10...10) == [10...10])
        #expect(tally.subranges(of: 20...21) == [20...20, 21...21])
        #expect(tally.subranges(of: 21...22) == [21...22])
        #expect(tally.subranges(of: 12...15) == [12...15])
    }

    @Test(
        "With any inserts and deletions the count is never too small, and exact at the end",
        arguments: 0..<200)
    func counted(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let newest = Int64.random(in: 0...60, using: &random)
        var rows = Set((0...newest).filter { $0 > 0 && ($0 == newest || .random(in: 0...4, using: &random) > 0) })
        var tally = RowCount(uncountedThrough: newest)
        var next = newest
        for _ in 0..<80 {
            switch Int.random(in: 0...3, using: &random) {
            case 0:
                next += 1
                rows.insert(next)
                tally.add(1, at: next)
            case 1 where !rows.isEmpty:
                let low = Int64.random(in: 1...max(next, 1), using: &random)
                for part in tally.subranges(of: low...min(low + 7, max(next, low))) {
                    let gone = rows.intersection(part)
                    rows.subtract(gone)
                    tally.add(-gone.count, at: part.lowerBound)
                }
            case 2 where !tally.isComplete:
                let through = min(tally.countedThrough + 5, newest)
                let found = rows.count { $0 > tally.countedThrough && $0 <= through }
                tally.addCounted(found, through: through)
            default: break
            }
            let total = tally.estimatedTotal(oldest: rows.min(), tombstone: nil)
            #expect(total >= rows.count)
            #expect(!tally.isComplete || total == rows.count)
        }
    }

    @Test("A tombstone is not counted, in a counted or an uncounted part")
    func hollow() {
        var tally = RowCount(uncountedThrough: 5)
        #expect(tally.estimatedTotal(oldest: 5, tombstone: 5) == 0)
        #expect(tally.estimatedTotal(oldest: 4, tombstone: 5) == 1)
        tally.addCounted(0, through: 5)
        #expect(tally.estimatedTotal(oldest: 5, tombstone: 5) == 0)
    }
}
