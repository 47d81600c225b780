import OdographHarness
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The view of the gaps")
struct GapViewTests {
    /// A range of numbers and why no record comes.
    private struct Known {
        let numbers: ClosedRange<Int64>
        let reason: LedgerRange.Reason
    }

    @Test(
        "A gap has the reasons of all that overlaps it, whatever overlaps and contains what",
        arguments: DatabaseKind.allCases, [1, 2, 3] as [UInt64])
    func reasons(kind: DatabaseKind, seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        func known() -> [Known] {
            (0..<8).map { _ in
                let first = Int64.random(in: 1...90, using: &random)
                let length: Int64 = [0, 1, 5, 60].randomElement(using: &random) ?? 0
                let reasons: [LedgerRange.Reason] = [.quota, .thinned, .delivered]
                return Known(numbers: first...(first + length), reason: reasons.randomElement(using: &random) ?? .quota)
            }
        }
        let (stored, given, ledger) = (
            Set((0..<25).map { _ in Int64.random(in: 1...100, using: &random) }), known(), known()
        )
        var messages = try stored.map { (van + "location", try Payloads.location($0)) }
        for (index, range) in given.enumerated() {
            let named = [Payloads.named(range.numbers, range.reason)]
            messages.append((van + "given_up", try Payloads.givenUp(200 + Int64(index), named)))
        }
        let entries = ledger.map { Payloads.range($0.numbers, reason: $0.reason) }
        messages.append((van + "reported", try Payloads.reported(entries)))
        let archive = try await Archive.make(kind, messages)

        let numbers = stored.union(200..<208)
        var expected: [[String]] = []
        var first: Int64?
        for number in 1...Int64(207) {
            if numbers.contains(number), let begin = first {
                let gap = begin...(number - 1)
                let reasons = Set((given + ledger).filter { $0.numbers.overlaps(gap) }.map(\.reason.rawValue))
                expected.append(["\(begin)", "\(number - 1)", reasons.sorted().joined(separator: ",")])
                first = nil
            } else if !numbers.contains(number), first == nil {
                first = number
            }
        }
        let found = try archive.rows("SELECT first, last, coalesce(reasons, '') FROM gaps ORDER BY first").map {
            [$0[0], $0[1], $0[2].split(separator: ",").sorted().joined(separator: ",")]
        }
        #expect(found == expected, "seed \(seed)")
    }

    @Test("No part of a view is evaluated again for each gap: an epoch can have a hundred thousand of them")
    func plan() throws {
        let archive = try Archive()
        for view in ["gaps", "open_gaps"] {
            let steps = try archive.rows("EXPLAIN QUERY PLAN SELECT * FROM \(view)").map { $0.last ?? "" }
            #expect(!steps.isEmpty)
            // The lowest epoch of a vehicle is one look into an index.
            let repeated = steps.indices.filter { steps[$0].hasPrefix("CORRELATED") }
            for index in repeated { #expect(steps[index + 1].contains("USING PRIMARY KEY (vehicle=?)"), "\(steps)") }
        }
    }
}
