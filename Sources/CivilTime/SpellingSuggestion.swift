/// Finds the word that a misspelled word probably stands for.
package enum SpellingSuggestion {
    /// Returns the candidate with the fewest wrong, missing, extra or swapped characters; in a tie the first by name.
    /// - Returns: nil if the best candidate has more than one error and errors in more than a third of its characters.
    package static func closestMatch(to word: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(word.lowercased().utf8.prefix(64))
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().utf8)
            let allowed = max(1, min(wanted.count, letters.count) / 3)
            guard abs(letters.count - wanted.count) <= allowed else { continue }
            let distance = distance(wanted, letters)
            guard distance <= allowed else { continue }
            if let best, (best.distance, best.candidate) <= (distance, candidate) { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// Returns the number of wrong, missing, extra or swapped characters, without regard to case.
    package static func errors(in word: String, comparedTo candidate: String) -> Int {
        distance(Array(word.lowercased().utf8), Array(candidate.lowercased().utf8))
    }

    /// Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for i in 0..<left.count {
            var current = [i + 1]
            for j in 0..<right.count {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforePrevious[j - 1] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
