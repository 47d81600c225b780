/// Times as PostgreSQL prints them: `2026-11-21 09:15:02.5+00`, without zeros at the end of the fraction.
enum PostgreSQLTime {
    /// Returns a time in UTC as ISO-8601 with milliseconds.
    static func iso8601(_ text: String) -> String {
        // As bytes, because a result can have three times in each of many rows.
        let parts = text.utf8.prefix { $0 != UInt8(ascii: "+") }.split(separator: UInt8(ascii: "."), maxSplits: 1)
        var bytes = parts.first.map { Array($0) } ?? []
        for index in bytes.indices where bytes[index] == UInt8(ascii: " ") { bytes[index] = UInt8(ascii: "T") }
        bytes.append(UInt8(ascii: "."))
        let milliseconds = parts.count > 1 ? Array(parts[1].prefix(3)) : []
        bytes += milliseconds
        bytes += repeatElement(UInt8(ascii: "0"), count: 3 - milliseconds.count)
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
