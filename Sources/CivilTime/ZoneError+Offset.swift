extension ZoneError {
    /// Creates the error of a name that states an offset from UTC: `UTC+2`, `GMT-5`, `+02:00`, `UTC+0530`; nil for
    /// other names. Such a name means hours east of UTC, unlike the zones `Etc/GMT+2` and the rules of POSIX.
    init?(offset name: String) {
        let text = name.filter { $0 != " " }.lowercased()
        let prefixes = ["etc/utc", "etc/gmt", "utc", "gmt", "uct", "z", ""]
        guard let prefix = prefixes.first(where: { text.hasPrefix($0) }) else { return nil }
        var rest = text.dropFirst(prefix.count)
        let sign: Character
        switch rest.first {
        case "+": sign = "+"
        case "-", "−", "–": sign = "-"
        // "GMT2" may be meant in either direction.
        case let first? where first.isNumber && !prefix.isEmpty: sign = "?"
        default: return nil
        }
        if sign != "?" { rest = rest.dropFirst() }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let digits = parts.first, digits.allSatisfy(\.isASCIIDigit),
            (1...4).contains(digits.count), parts.allSatisfy({ Int($0) != nil })
        else {
            // "UTC+2.5" or "GMT+2h".
            guard rest.first?.isNumber == true else { return nil }
            self = .offset(name: name, zone: nil)
            return
        }
        let isCompact = digits.count > 2
        guard let number = Int(digits), let minutes = isCompact ? number % 100 : parts.count > 1 ? Int(parts[1]) : 0
        else {
            return nil
        }
        let hours = isCompact ? number / 100 : number
        self = .offset(name: name, zone: Self.zone(prefix, sign, hours: hours, minutes: minutes))
    }

    /// The zones of whole hours are named by the rule of POSIX: `Etc/GMT-2` is two hours east of UTC.
    private static func zone(_ prefix: String, _ sign: Character, hours: Int, minutes: Int) -> String? {
        guard minutes == 0, prefix != "etc/gmt" else { return nil }
        switch (sign, hours) {
        case (_, 0): return "UTC"
        case ("+", 1...14): return "Etc/GMT-\(hours)"
        case ("-", 1...12): return "Etc/GMT+\(hours)"
        default: return nil
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
