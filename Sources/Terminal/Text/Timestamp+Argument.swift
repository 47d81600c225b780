import OdographCivilTime

extension Timestamp {
    /// Parses a time as typed by a user: ISO-8601, a date, a date and a time (both UTC), or an age (`90s`, `15m`, `2h`,
    /// `3d`).
    /// - Returns: nil if the text is none of these.
    public init?(argument text: String, now: Timestamp) {
        if let time = Timestamp(iso8601: text) ?? Self.parseToMinute(text) {
            self = time
        } else if let seconds = Self.parseAge(text) {
            self = now.advanced(bySeconds: -seconds)
        } else if let time = Self.parseWithoutZone(text) {
            self = time
        } else {
            return nil
        }
    }

    /// Parses a date and time without an offset as UTC: `2026-11-21`, `2026-11-21 09:15`, `2026-11-21T09:15:02`.
    static func parseWithoutZone(_ text: String) -> Timestamp? {
        for rest in ["T00:00:00Z", ":00Z", "Z"] {
            if let time = Timestamp(iso8601: text + rest) { return time }
        }
        return nil
    }

    /// Parses ISO-8601 without seconds: `2026-11-21T09:15Z`, `2026-11-21T09:15+01:00`.
    private static func parseToMinute(_ text: String) -> Timestamp? {
        let rest = text.dropFirst(16)
        guard rest == "Z" || rest.hasPrefix("+") || rest.hasPrefix("-") else { return nil }
        return Timestamp(iso8601: text.prefix(16) + ":00" + rest)
    }

    private static func parseAge(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int32(text.dropLast()), count >= 0 else {
            return nil
        }
        return Double(count) * unit
    }
}
