import OdographCivilTime
// So each file of this module can name the cases.
@_exported import enum OdographSQLite.SQLiteValue

/// A value of a parameter or of a column, for every kind of database.
typealias SQLValue = SQLiteValue

extension SQLValue {
    /// A text, or NULL.
    static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    /// A number, or NULL.
    static func optional(_ number: Double?) -> SQLValue { number.map { .real($0) } ?? .null }

    /// A time, or NULL.
    static func optional(_ time: Timestamp?) -> SQLValue { time.map { .time($0) } ?? .null }

    /// A number that is -1 if it is not known; NULL then.
    static func known(_ number: Double) -> SQLValue { number < 0 ? .null : .real(number) }

    /// A time as ISO-8601 with milliseconds, whose order as text is the order in time.
    ///
    /// PostgreSQL has no year 0. A date in it is from a wrong clock; the payload has it as it came.
    static func time(_ time: Timestamp) -> SQLValue {
        let text = time.iso8601
        return .text(text.hasPrefix("0000") ? "0001-01-01T00:00:00.000Z" : text)
    }

    /// A truth value: 1 or 0.
    static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
}
