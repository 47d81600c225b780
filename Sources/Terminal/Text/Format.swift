import OdographCivilTime

/// Formats quantities as text. The result does not depend on a locale.
public enum Format {
    /// Returns a time in UTC: `2026-11-21 09:15:02`.
    public static func time(_ time: Timestamp) -> String {
        time.iso8601.prefix(19).split(separator: "T").joined(separator: " ")
    }

    /// Returns the distance in time from now: `12 s ago`, `in 3 h 5 min`.
    public static func relative(_ time: Timestamp, to now: Timestamp) -> String {
        let seconds = now.seconds(since: time)
        if abs(seconds) < 1 { return "now" }
        return seconds > 0 ? "\(duration(seconds: seconds)) ago" : "in \(duration(seconds: -seconds))"
    }

    /// Returns `45 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`: at most two units.
    public static func duration(seconds: Double) -> String {
        let total = Int64(max(min(seconds, 1e15), 0).rounded())
        let units: [(size: Int64, name: String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        guard let first = units.firstIndex(where: { total >= $0.size }) else { return "0 s" }
        let count = total / units[first].size
        guard first + 1 < units.count else { return "\(count) s" }
        let rest = total % units[first].size / units[first + 1].size
        return "\(count) \(units[first].name)" + (rest > 0 ? " \(rest) \(units[first + 1].name)" : "")
    }

    /// Returns metres below a kilometre, else kilometres.
    public static func distance(_ meters: Double) -> String {
        abs(meters) < 1000 ? "\(meters.formatted(decimals: 0)) m" : "\((meters / 1000).formatted(decimals: 2)) km"
    }

    /// Returns a distance with its error: `12.35 km ± 40 m`.
    public static func distance(_ meters: Double, error: Double) -> String {
        "\(distance(meters)) ± \(distance(error))"
    }

    /// Returns a size in units of 1024 bytes.
    public static func bytes(_ count: Int) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        while value >= 1000, unit + 1 < units.count {
            value /= 1024
            unit += 1
        }
        return "\(value.formatted(decimals: value < 10 ? 1 : 0)) \(units[unit])"
    }

    /// Returns a number with its noun: `1 fix`, `12,345 fixes`.
    public static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// Returns a number with digits in groups of three.
    public static func grouped(_ number: Int) -> String {
        var digits = Array(String(number.magnitude))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (number < 0 ? "-" : "") + String(digits)
    }

    /// Returns `; skipped 12 (no fix 10, malformed line 2)`; empty if all counts are 0.
    package static func reasonCounts(_ counts: [String: Int], prefix: String) -> String {
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return "" }
        let sorted = counts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return prefix + "\(grouped(total)) ("
            + sorted.map { "\(spacedWords($0.key)) \(grouped($0.value))" }.joined(separator: ", ") + ")"
    }

    /// Returns a key as words: `no_fix` and `timeBackwards` become "no fix" and "time backwards".
    private static func spacedWords(_ key: String) -> String {
        key.reduce(into: "") { words, character in
            words += character == "_" ? " " : character.isUppercase ? " " + character.lowercased() : String(character)
        }
    }
}

extension Double {
    /// Returns the number with 0 to 9 decimals, rounded half away from zero.
    package func formatted(decimals: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<decimals { scale *= 10 }
        guard isFinite, abs(self) * Double(scale) < 9e18 else { return "\(self)" }
        let scaled = Int64((abs(self) * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }
}
