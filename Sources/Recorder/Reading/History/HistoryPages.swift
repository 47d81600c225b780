/// Rows of an answer.
struct HistoryPage: Hashable {
    /// The rows, each a JSON object.
    var rows: [[UInt8]] = []
    /// The place of the next rows, `after` of a request; nil if there are no more.
    var next: String?
}

/// The rows of an answer, a page at a time: the memory does not depend on their number, and no transaction stays open
/// while the broker is slow.
protocol HistoryPages {
    /// The zone of the days; nil for rows that are not days.
    var timeZone: String? { get }

    /// Reads the next rows.
    /// - Parameters:
    ///   - database: The database.
    ///   - limit: The most rows, at least 1.
    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage
}
