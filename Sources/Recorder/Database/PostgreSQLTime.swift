/// Times as PostgreSQL prints them: `2026-11-21 09:15:02.5+00`, without zeros at the end of the fraction.
enum PostgreSQLTime {
    /// Returns a time in UTC as ISO-8601 with milliseconds.
    static func iso8601(_ text: String) -> String {
        let parts = text.prefix { $0 != "+" }.split(separator: ".", maxSplits: 1)
        let milliseconds = String(parts.dropFirst().first ?? "").prefix(3)
        let zeros = String(repeating: "0", count: 3 - milliseconds.count)
        return "\(parts.first?.replacing(" ", with: "T") ?? "").\(milliseconds)\(zeros)Z"
    }
}
