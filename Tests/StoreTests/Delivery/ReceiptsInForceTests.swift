import OdographCivilTime
import OdographWire
import Testing

@testable import OdographStore

@Suite("The receipts in force")
struct ReceiptsInForceTests {
    private static func receipt(
        _ recorder: String, _ revision: Int64, _ epochs: [Receipt.Epoch] = [], isPartial: Bool = false
    ) -> RecorderReceipt {
        RecorderReceipt(
            recorder: recorder,
            receipt: Receipt(
                databaseID: "a", revision: revision, interval: 600, epochs: epochs, isPartial: isPartial))
    }

    /// A statement about numbers 1 to 9, and what it says about some of them.
    struct Statement: Sendable, CustomTestStringConvertible {
        var epochs: [Receipt.Epoch]
        var isPartial = false
        var covered: [ClosedRange<Int64>]
        var missing: [ClosedRange<Int64>]
        var testDescription: String { "\(covered), \(missing)" }

        static let all = [
            Statement(epochs: [], covered: [], missing: [1...9]),
            Statement(epochs: [], isPartial: true, covered: [], missing: []),
            Statement(epochs: [.init(through: 6)], covered: [1...6], missing: [7...9]),
            Statement(
                epochs: [.init(through: 6, missing: [2...3])], covered: [1...1, 4...6], missing: [2...3, 7...9]),
            Statement(
                epochs: [.init(through: 6, missing: [2...3], isPartial: true)], covered: [1...1, 4...6],
                missing: [2...3]),
            Statement(epochs: [.init(through: 12, missing: [9...11])], covered: [1...8, 12...12], missing: [9...9]),
        ]
    }

    @Test("A number is covered, missing or not stated", arguments: Statement.all)
    func statements(statement: Statement) {
        var receipts = ReceiptsInForce(recorders: ["main"])
        let isAccepted = receipts.accept(Self.receipt("main", 1, statement.epochs, isPartial: statement.isPartial))
        #expect(isAccepted)
        #expect(receipts.covered(in: 7).closedRanges == statement.covered)
        #expect(receipts.missing(in: 7, through: 9).closedRanges == statement.missing)
    }

    @Test("The newest receipt of a configured recorder replaces the former one completely; others are ignored")
    func newest() {
        var receipts = ReceiptsInForce(recorders: ["main"])
        receipts.deletionRevisions = ["main": 5]
        let steps: [(recorder: String, revision: Int64, isAccepted: Bool)] = [
            ("other", 9, false), ("main", 4, false), ("main", 5, true), ("main", 5, false), ("main", 8, true),
            ("main", 7, false),
        ]
        for step in steps {
            let epochs: [Receipt.Epoch] = step.revision == 5 ? [.init(through: 3, safe: 3)] : []
            let isAccepted = receipts.accept(Self.receipt(step.recorder, step.revision, epochs))
            #expect(isAccepted == step.isAccepted, "\(step)")
            if step.revision == 5 { #expect(receipts.deletableThrough(in: 7) == 3) }
        }
        #expect(receipts.deletableThrough(in: 7) == 0)
        #expect(receipts.covered(in: 7).isEmpty)
    }

    @Test("With two recorders, a record is deleted when it is safe in both, and sent while one misses it")
    func recorders() {
        var receipts = ReceiptsInForce(recorders: ["a", "b"])
        _ = receipts.accept(Self.receipt("a", 1, [.init(through: 6, safe: 4)]))
        #expect(receipts.deletableThrough(in: 7) == 0 && receipts.covered(in: 7).isEmpty)
        #expect(receipts.demanded(in: 7, through: 9) == NumberSet(through: 9))
        _ = receipts.accept(Self.receipt("b", 1, [.init(through: 5, missing: [4...4], safe: 3)]))
        #expect(receipts.deletableThrough(in: 7) == 3)
        #expect(receipts.covered(in: 7).closedRanges == [1...3, 5...5])
        #expect(receipts.demanded(in: 7, through: 9).closedRanges == [4...4, 6...9])
        #expect(receipts.namedMissing(in: 7).closedRanges == [4...4])
    }

    @Test("Named numbers have the reason of the ledger; others were delivered")
    func reasons() {
        let ledger = Ledger(entries: [
            LedgerEntry(epoch: 7, fromSeq: 3, toSeq: 5, count: 3, kind: nil, reason: .quota, at: start)
        ])
        let list = GivenUpList.naming([7: NumberSet([1...4, 8...8])], by: ledger)
        #expect(
            list.ranges == [
                GivenUpNumbers(epoch: 7, numbers: 1...2, reason: .delivered),
                GivenUpNumbers(epoch: 7, numbers: 3...4, reason: .ledger(.quota)),
                GivenUpNumbers(epoch: 7, numbers: 8...8, reason: .delivered),
            ])
    }

    @Test("A long list is divided, and numbers below the oldest kept record become one range")
    func longList() {
        var list = GivenUpList()
        for seq in Int64(1)...2500 {
            list.insert(RecordKey(epoch: 7, seq: 2 * seq), seq % 2 == 0 ? .quota : .retention)
        }
        #expect(list.isLong && list.parts.map(\.count) == [1000, 1000, 500])
        list.merge(in: 7, below: 4001)
        #expect(!list.isLong && list.ranges.first?.numbers == 2...4000 && list.ranges.count == 501)
        #expect(list.ranges.first?.reason == .ledger(.merged))
    }
}

extension Receipt.Epoch {
    /// Creates a statement about epoch 7.
    fileprivate init(
        through last: Int64, missing: [ClosedRange<Int64>] = [], safe: Int64 = 0, isPartial: Bool = false
    ) {
        self.init(epoch: 7, through: last, missing: missing, safe: safe, isPartial: isPartial)
    }
}
