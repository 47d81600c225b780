import OdographCivilTime
import OdographSQLite

extension SQLiteValue {
    /// A text, or NULL.
    static func optional(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }

    /// A number, or NULL.
    static func optional(_ number: Double?) -> SQLiteValue { number.map { .real($0) } ?? .null }

    /// A time, or NULL.
    static func optional(_ time: Timestamp?) -> SQLiteValue { time.map { .time($0) } ?? .null }

    /// A number that is -1 if it is not known; NULL then.
    static func known(_ number: Double) -> SQLiteValue { number < 0 ? .null : .real(number) }

    /// A time as ISO-8601 with milliseconds, whose order as text is the order in time.
    static func time(_ time: Timestamp) -> SQLiteValue { .text(time.iso8601) }

    /// A truth value: 1 or 0.
    static func bool(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
}
