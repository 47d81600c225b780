import OdographWire
import Testing

@Suite("Ranges of consecutive numbers")
struct ContiguousRangesTests {
    @Test("Numbers in any order make ranges without gaps")
    func ranges() {
        #expect(contiguousRanges(of: []) == [])
        #expect(contiguousRanges(of: [3, 1, 2, 2, 7, 9, 8]) == [1...3, 7...9])
        // Older compilers do not find the type of the numbers within the comparison.
        let numbers: [Int64] = [.max, .max - 1]
        let last: [ClosedRange<Int64>] = [(.max - 1)...(.max)]
        #expect(contiguousRanges(of: numbers) == last)
    }
}
