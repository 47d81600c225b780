import Testing

@testable import OdographCivilTime

@Suite("Spelling suggestions")
struct SpellingSuggestionTests {
    @Test(
        "The distance counts inserted, deleted, replaced and swapped letters",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "acb", 1),
            ("abc", "adc", 1), ("abc", "abxc", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func distance(left: String, right: String, distance: Int) {
        #expect(SpellingSuggestion.distance(Array(left.utf8), Array(right.utf8)) == distance)
        #expect(SpellingSuggestion.distance(Array(right.utf8), Array(left.utf8)) == distance)
    }

    @Test(
        "A close word is found, a distant one is not",
        arguments: [
            ("distnce", "distance"), ("Distance", "distance"), ("intervl", "interval"), ("spede", "speed"), ("x", nil),
            ("completely_else", nil),
        ] as [(String, String?)])
    func nearest(word: String, expected: String?) {
        #expect(SpellingSuggestion.closestMatch(to: word, among: ["distance", "interval", "speed"]) == expected)
    }

    @Test("Among equally close words the first of the alphabet is chosen")
    func ties() {
        #expect(SpellingSuggestion.closestMatch(to: "CAT", among: ["hat", "bat"]) == "bat")
        #expect(SpellingSuggestion.closestMatch(to: "cat", among: ["bat", "hat"]) == "bat")
    }
}
