/// The number of records in the outbox, estimated while counting all of them at the start would take too long.
///
/// Records stored since the start are counted at once. ``IntegrityScan`` counts the older ones, oldest first. Until
/// then they are estimated as the numbers between the oldest and the newest row, of which few are missing.
struct RowCount {
    /// The number of counted records that still exist.
    private(set) var counted: Int
    /// The number up to which the rows from the start are counted.
    private(set) var countedThrough: Int64
    /// The newest row at the start.
    let newestAtStart: Int64

    /// Creates a count with no counted rows.
    ///
    /// - Parameter newest: The newest row; 0 if there is none.
    init(uncountedThrough newest: Int64 = 0) {
        counted = 0
        countedThrough = 0
        newestAtStart = newest
    }

    var isComplete: Bool { countedThrough >= newestAtStart }

    /// Returns whether a row with this number is counted.
    func includes(_ seq: Int64) -> Bool { seq <= countedThrough || seq > newestAtStart }

    /// Returns the parts of a range in which either all rows are counted or none.
    func subranges(of range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        var parts: [ClosedRange<Int64>] = []
        var start = range.lowerBound
        for bound in [countedThrough, newestAtStart] where (start..<range.upperBound).contains(bound) {
            parts.append(start...bound)
            start = bound + 1
        }
        return parts + [start...range.upperBound]
    }

    /// Adds inserted records, or subtracts deleted ones, if rows near this number are counted.
    mutating func add(_ count: Int, at seq: Int64) {
        if includes(seq) { counted += count }
    }

    /// Adds the records of the rows after `countedThrough`, up to this one.
    mutating func addCounted(_ count: Int, through seq: Int64) {
        counted += count
        countedThrough = seq
    }

    /// Returns the number of all records, including the estimate.
    ///
    /// - Parameters:
    ///   - oldest: The oldest row. Nil if there is none.
    ///   - tombstone: The row without a payload. Nil if there is none.
    func estimatedTotal(oldest: Int64?, tombstone: Int64?) -> Int {
        guard let oldest, !isComplete else { return counted }
        let rows = max(newestAtStart - max(countedThrough, oldest - 1), 0)
        return counted + Int(rows) - (tombstone.map { !includes($0) } == true ? 1 : 0)
    }
}
