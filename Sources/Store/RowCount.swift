/// How many records the outbox has, where counting all of them at the start would take too long.
///
/// What is stored from then on is counted at once. What was there is counted by ``IntegrityScan``, oldest first, and guessed until then: the
/// numbers between the oldest row and the newest, of which seldom any is missing.
struct RowCount {
    /// Records that were counted and are still there.
    private(set) var counted: Int
    /// The rows that were there at the start are counted up to this one.
    private(set) var countedThrough: Int64
    /// The newest row that was there at the start.
    let newestAtStart: Int64

    /// Nothing is counted.
    ///
    /// - Parameter newest: The newest row; 0 where there is none.
    init(uncountedThrough newest: Int64 = 0) {
        counted = 0
        countedThrough = 0
        newestAtStart = newest
    }

    var isComplete: Bool { countedThrough >= newestAtStart }

    /// Whether a row, if there is one of this number, is counted.
    func includes(_ seq: Int64) -> Bool { seq <= countedThrough || seq > newestAtStart }

    /// The parts of a range in which all rows are counted, or none.
    func subranges(of range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        var parts: [ClosedRange<Int64>] = []
        var start = range.lowerBound
        for bound in [countedThrough, newestAtStart] where (start..<range.upperBound).contains(bound) {
            parts.append(start...bound)
            start = bound + 1
        }
        return parts + [start...range.upperBound]
    }

    /// Records were stored or have gone, of which one has this number and all others are like it.
    mutating func add(_ count: Int, at seq: Int64) {
        if includes(seq) { counted += count }
    }

    /// The rows from where counting was up to this one hold so many records.
    mutating func addCounted(_ count: Int, through seq: Int64) {
        counted += count
        countedThrough = seq
    }

    /// All records, those among them that are but guessed.
    ///
    /// - Parameters:
    ///   - oldest: The oldest row. Nil where there is none.
    ///   - hollow: A row that is no record any more.
    func estimatedTotal(oldest: Int64?, tombstone: Int64?) -> Int {
        guard let oldest, !isComplete else { return counted }
        let rows = max(newestAtStart - max(countedThrough, oldest - 1), 0)
        return counted + Int(rows) - (tombstone.map { !includes($0) } == true ? 1 : 0)
    }
}
