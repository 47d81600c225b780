/// The kind of a database, for the parts of SQL in which they differ.
package enum SQLDialect {
    case sqlite
    case postgreSQL

    /// Returns the condition that a text contains another one. It is NULL if the text is.
    func contains(_ text: String, _ part: String) -> String {
        switch self {
        case .sqlite: "instr(\(text), \(part)) > 0"
        case .postgreSQL: "strpos(\(text), \(part)) > 0"
        }
    }

    /// Returns the aggregate of the different texts of an expression, with commas.
    func joined(distinct text: String) -> String {
        switch self {
        case .sqlite: "group_concat(DISTINCT \(text))"
        case .postgreSQL: "string_agg(DISTINCT \(text), ',')"
        }
    }

    /// Returns the condition that bytes contain others.
    func contains(bytes: String, _ part: String) -> String {
        switch self {
        case .sqlite: "instr(\(bytes), \(part)) > 0"
        case .postgreSQL: "position(\(part) in \(bytes)) > 0"
        }
    }

    /// Returns the condition that a record is newer than another one of its vehicle. In an epoch the number decides.
    /// Between two epochs the time does, because a vehicle that lost its disk and has a wrong clock can begin a smaller
    /// epoch. A time in the future is wrong.
    func isNewer(_ one: String, than other: String) -> String {
        func place(_ record: String) -> String { "(\(record).time <= \(tomorrow), \(record).time, \(record).epoch)" }
        return """
            (\(one).epoch = \(other).epoch AND \(one).seq > \(other).seq
                OR \(one).epoch <> \(other).epoch AND \(place(one)) > \(place(other)))
            """
    }

    /// The time of tomorrow.
    private var tomorrow: String {
        switch self {
        case .sqlite: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 day')"
        case .postgreSQL: "now() + interval '1 day'"
        }
    }

    /// The query of the newest key of a record. Each partition of PostgreSQL has an index of its own, so there the
    /// greatest key would be looked for in all of them.
    var newestRecordKey: String {
        switch self {
        case .sqlite: "SELECT max(id) FROM records"
        case .postgreSQL: "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM record_ids"
        }
    }

    /// The statement with which a transaction of a recorder waits for an erasure. Nil for SQLite, which has one writer
    /// at a time. In PostgreSQL a batch could otherwise store what an erasure of the same moment has erased.
    var writerLock: String? {
        switch self {
        case .sqlite: nil
        case .postgreSQL: "LOCK TABLE ONLY records IN ROW EXCLUSIVE MODE"
        }
    }

    /// The statement with which an erasure waits for the transactions of a recorder, and they for it.
    var eraserLock: String? {
        switch self {
        case .sqlite: nil
        case .postgreSQL: "LOCK TABLE ONLY records IN SHARE ROW EXCLUSIVE MODE"
        }
    }
}
