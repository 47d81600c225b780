/// Guesses what somebody meant to write.
enum Spelling {
    /// The word that is nearest to a misspelt one, if any is near enough: at most a third of its letters wrong.
    static func nearest(to word: String, among words: some Collection<String>) -> String? {
        let limit = max(word.count / 3, 1)
        return words.map { ($0, distance(word, $0)) }
            .filter { $0.1 <= limit }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// The number of letters to add, drop, change or swap with their neighbour.
    ///
    /// Source: optimal string alignment distance (restricted Damerau–Levenshtein).
    static func distance(_ left: String, _ right: String) -> Int {
        let first = Array(left.lowercased())
        let second = Array(right.lowercased())
        var rows = [Array(0...second.count)]
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                var best = min(rows[row][column + 1] + 1, current[column] + 1)
                best = min(best, rows[row][column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[first.count][second.count]
    }
}
