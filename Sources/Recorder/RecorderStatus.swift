import Odograph
import OdographCivilTime
import OdographJSON
import OdographSQLite

/// The contents of a recorder's database in numbers.
package struct RecorderStatus: Hashable, Sendable, Codable {
    /// The vehicles that have published something.
    package var vehicles: Int
    /// The vehicles whose newest status is online.
    package var online: Int
    /// The stored records.
    package var records: Int
    /// When the newest message was received that is committed; nil if there is none.
    package var lastCommit: String?
    /// The ranges of numbers that are neither stored nor in a ledger.
    package var openGaps: Int
    /// The numbers in these ranges.
    package var openNumbers: Int
    /// The records with the number of another record and other contents.
    package var conflicts: Int
    /// The kept messages that violate the contract.
    package var rejected: Int

    private enum CodingKeys: String, CodingKey {
        case vehicles, online, records
        case lastCommit = "last_commit"
        case openGaps = "open_gaps"
        case openNumbers = "open_numbers"
        case conflicts, rejected
    }

    /// Reads the numbers. The recorder can write meanwhile.
    package init(databasePath path: String) throws(DatabaseFailure) {
        let connection = try RecorderSchema.openForReading(path)
        // One transaction: all numbers are of one moment.
        try connection.execute("BEGIN")
        let statement = try connection.prepare(
            """
            SELECT (SELECT count(*) FROM vehicles), (SELECT count(*) FROM vehicles WHERE state = 'online'),
                (SELECT coalesce(sum(last - first + 1), 0) FROM runs), (SELECT max(last_seen) FROM vehicles),
                (SELECT count(*) FROM open_gaps), (SELECT coalesce(sum(last - first + 1), 0) FROM open_gaps),
                (SELECT count(*) FROM conflicts), (SELECT count(*) FROM rejected)
            """)
        var numbers = [Int](repeating: 0, count: 8)
        var lastCommit: String?
        try statement.forEach { row throws(DatabaseFailure) in
            for column in numbers.indices { numbers[column] = Int(row.integer(Int32(column))) }
            lastCommit = row.text(3)
            return false
        }
        (vehicles, online, records) = (numbers[0], numbers[1], numbers[2])
        self.lastCommit = lastCommit
        (openGaps, openNumbers, conflicts, rejected) = (numbers[4], numbers[5], numbers[6], numbers[7])
    }

    /// The numbers as lines for people.
    package var text: String {
        """
        vehicles     \(vehicles), \(online) online
        records      \(records)
        last commit  \(lastCommit ?? "none")
        open gaps    \(openGaps), \(openNumbers) numbers
        conflicts    \(conflicts)
        rejected     \(rejected)

        """
    }

    /// The numbers as JSON.
    package func json() throws -> String { try JSONCoder.prettyString(of: self) + "\n" }
}
