import OdographCivilTime
import OdographWire

/// The table `requests`: who asked for what and when.
package final class RequestTable {
    /// The end of a request, or its beginning.
    enum Outcome: Hashable {
        /// The answer begins.
        case begun
        /// The broker has the whole answer.
        case answered
        /// The connection to the broker ended, or the broker refused a part.
        case interrupted
        /// The database failed after the beginning.
        case failed(HistoryRefusal.Code)
        /// The request was refused.
        case refused(HistoryRefusal.Code)
    }

    private let connection: any RecorderConnection

    /// Opens the table of a database beside a recorder, which has made it.
    package init(_ location: DatabaseLocation) throws(DatabaseFailure) {
        connection = try location.openForWriting(lockSeconds: 5)
        if case .file = location {
            // NORMAL: a commit does not wait for the disk, so the lock that it needs does not delay the recorder. A
            // power cut can lose the entries since the recorder's last commit.
            try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF")
        }
    }

    /// Adds an entry.
    /// - Parameters:
    ///   - address: The person.
    ///   - id: The identifier of the request.
    ///   - request: The request; nil if it is not readable.
    ///   - outcome: What became of it.
    ///   - received: When the recorder received it.
    /// - Returns: The key of the entry.
    func insert(
        _ address: HistoryAddress, id: String, _ request: HistoryRequest?, _ outcome: Outcome, received: Timestamp
    ) throws(DatabaseFailure) -> Int64 {
        let values: [SQLValue] = [
            .time(received), .text(address.fleet), .text(address.person), .text(id), .optional(request?.kind),
            .optional(request?.device), .optional(request?.times?.lowerBound), .optional(request?.times?.upperBound),
            .text(outcome.word), .optional(outcome.code?.rawValue),
        ]
        return try connection.transaction { () throws(DatabaseFailure) in
            var key: Int64?
            try connection.prepare(
                """
                INSERT INTO requests (time, fleet, person, request, kind, device, from_time, to_time, outcome, code,
                    row_count)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0) RETURNING id
                """
            ).forEach(values) { row throws(DatabaseFailure) in
                key = row.integer(0)
                return true
            }
            guard let key else {
                throw .failed(path: connection.name, operation: "adding a request", detail: "the row is missing")
            }
            return key
        }
    }

    /// Notes the end of an answer.
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - outcome: What became of it.
    ///   - rows: The number of rows that were sent.
    func end(_ key: Int64, _ outcome: Outcome, rows: Int) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            try connection.prepare("UPDATE requests SET outcome = ?2, code = ?3, row_count = ?4 WHERE id = ?1").run(
                .integer(key), .text(outcome.word), .optional(outcome.code?.rawValue), .integer(Int64(rows)))
        }
    }

    /// Removes the entries before a time.
    /// - Returns: Their number.
    func remove(before time: Timestamp) throws(DatabaseFailure) -> Int {
        try connection.transaction { () throws(DatabaseFailure) in
            try connection.prepare("DELETE FROM requests WHERE time < ?1").run(.time(time))
        }
    }
}

extension RequestTable.Outcome {
    /// The word in the table and in the log.
    var word: String {
        switch self {
        case .begun: "begun"
        case .answered: "answered"
        case .interrupted: "interrupted"
        case .failed: "failed"
        case .refused: "refused"
        }
    }

    /// Why it was refused or failed.
    var code: HistoryRefusal.Code? {
        switch self {
        case .begun, .answered, .interrupted: nil
        case .failed(let code), .refused(let code): code
        }
    }
}
