import OdographWire
import Testing

@Suite("Ranges of consecutive numbers")
struct ContiguousRangesTests {
    @Test("Numbers in any order make ranges without gaps")
    func ranges() {
        #expect(contiguousRanges(of: []) == [])
        #expect(contiguousRanges(of: [3, 1, 2, 2, 7, 9, 8]) == [1...3, 7...9])
        #expect(contiguousRanges(of: [.max, .max - 1]) == [(.max - 1)...(.max)])
    }
}
