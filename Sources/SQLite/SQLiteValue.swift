/// A value for a parameter.
package enum SQLiteValue: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case blob([UInt8])
    case text(String)
    case null
}
