import OdographCivilTime

/// Explains errors in a field. Valid expressions do not use this code.
extension FieldParser {
    func error(from start: Int, to end: Int? = nil, _ reason: String) -> ScheduleError {
        ScheduleError(field, text(start, end ?? bytes.count), reason)
    }

    private func text(_ start: Int, _ end: Int) -> String {
        String(decoding: bytes[min(start, end)..<end], as: UTF8.self)
    }

    private func quoted(_ start: Int, _ end: Int) -> String { ScheduleError.quoted(text(start, end)) }

    /// Returns the end of the item that contains a position.
    private func itemEnd(_ start: Int) -> Int { bytes[start...].firstIndex(of: UInt8(ascii: ",")) ?? bytes.count }

    private func wordEnd(_ start: Int) -> Int { bytes[start...].firstIndex { !$0.isLetter } ?? bytes.count }

    func emptyItem() -> ScheduleError {
        if bytes.allSatisfy({ $0 == UInt8(ascii: ",") }) {
            return error(from: 0, "empty list; write numbers between the commas, or \"*\" for all")
        }
        let place = position == 0 ? "at the start of" : position == bytes.count ? "at the end of" : "in"
        return error(from: 0, "empty item \(place) the list \(quoted(0, bytes.count)); remove the comma")
    }

    func outOfRange(_ number: Int, from start: Int) -> ScheduleError {
        let range = field.range
        var reason = "\(number) is out of range \(range.lowerBound)-\(range.upperBound)"
        switch (field, number) {
        case (.dayOfWeek, _): reason += " (0 and 7 are Sunday)"
        case (.hour, 24): reason += "; for the end of the day write 23 (it includes 23:59)"
        case (.minute, 60): reason += "; the last minute of an hour is 59"
        case (.dayOfMonth, 32...): reason += "; for the last day of each month write L"
        default: break
        }
        return error(from: start, to: position, reason)
    }

    func numberTooLarge(from start: Int) -> ScheduleError {
        let end = bytes[start...].firstIndex { !$0.isDigit } ?? bytes.count
        let range = field.range
        return error(
            from: start, to: end,
            "number too large: \(quoted(start, end)) is out of range \(range.lowerBound)-\(range.upperBound)")
    }

    func reversedRange(from start: Int, _ first: Int, _ last: Int) -> ScheduleError {
        let range = field.range
        let parts = text(start, position).split(separator: "-")
        let isNamed = bytes[start].isLetter
        let lowest = isNamed && field == .month ? "JAN" : "\(range.lowerBound)"
        let highest = isNamed && field == .month ? "DEC" : "\(field == .dayOfWeek ? 6 : range.upperBound)"
        let name = text(start, position)
        guard parts.count == 2 else { return error(from: start, to: position, "range \(name) runs backwards") }
        func run(_ low: some StringProtocol, _ high: some StringProtocol) -> String {
            low == high ? "\(low)" : "\(low)-\(high)"
        }
        let better = "\(run(parts[0], highest)),\(run(lowest, parts[1]))"
        switch field {
        case .hour:
            return error(
                from: start, to: position,
                "range \(name) runs backwards; for a night write \"\(better)\" "
                    + "(mind the weekday: hours \(run("0", parts[1])) belong to the next day)")
        case .dayOfWeek where last == 0:
            return error(
                from: start, to: position, "range \(name) runs backwards; for Sunday at its end write \"\(parts[0])-7\""
            )
        default:
            return error(from: start, to: position, "range \(name) runs backwards; write \"\(better)\"")
        }
    }

    func badStep(from start: Int) -> ScheduleError {
        let end = itemEnd(min(start, bytes.count))
        let step = text(start, end)
        if step.isEmpty { return error(from: 0, to: end, "a step is missing after \"/\"; write such as \"*/2\"") }
        if step.contains("/") { return error(from: 0, to: end, "only one \"/\" allowed in \(quoted(0, end))") }
        if step.contains(".") {
            return error(from: start, to: end, "step \(quoted(start, end)) must be a whole number")
        }
        if step.utf8.first?.isLetter == true {
            return error(from: start, to: end, "step \(quoted(start, end)) is not a number; a step must be a number")
        }
        return error(from: start, to: end, "step \(quoted(start, end)) must be a positive whole number")
    }

    func badNumberedWeekday(_ weekday: Int, from start: Int) -> ScheduleError {
        let end = itemEnd(start)
        let name = FieldNames.longWeekdays[weekday]
        let isTooMany = text(start, end).utf8.allSatisfy(\.isDigit) && text(start, end).utf8.contains { $0 != 48 }
        if start < end && isTooMany {
            return error(from: start, to: end, "#\(text(start, end)): a month has at most 5 \(name)s; write #1 to #5")
        }
        return error(from: start, to: end, "write #1 to #5 after the weekday to select one \(name) of the month")
    }

    func missingValue(isRangeEnd: Bool) -> ScheduleError {
        let isAtEnd = position >= bytes.count || bytes[position] == UInt8(ascii: ",")
        if isRangeEnd {
            if isAtEnd {
                return error(from: 0, to: position, "a number is missing after \"-\" in \(quoted(0, position))")
            }
            if bytes[position] == UInt8(ascii: "*") {
                return error(from: 0, "a range ends in a number, not in \"*\"; write \"-\(field.range.upperBound)\"")
            }
        }
        if !isRangeEnd && bytes[position] == UInt8(ascii: "-") {
            return error(from: position, "a number is missing before \"-\"; a range looks like \"1-5\"")
        }
        if !isRangeEnd && bytes[position] == UInt8(ascii: "/") {
            return error(
                from: position,
                "a number or \"*\" is missing before \"/\"; write \"*\(quoted(position, itemEnd(position)).dropFirst())"
            )
        }
        return unexpected()
    }

    func unknownName(from start: Int) -> ScheduleError {
        // With letters of other languages, such as in "MIÉ".
        let end: Int = bytes[start...].firstIndex { !$0.isLetter && $0 < 0x80 } ?? bytes.count
        let word = ForeignNames.withoutDiacritics(text(start, end)).uppercased()
        let name = quoted(start, end)
        if let special = specialLetter(word, name, start, end) { return special }
        guard field == .month || field == .dayOfWeek else {
            return error(from: start, to: end, "unexpected \(name); names are for month and day of week only")
        }
        let isMonth = field == .month
        let known = isMonth ? FieldNames.months : FieldNames.weekdays
        let long = isMonth ? FieldNames.longMonths : FieldNames.longWeekdays
        let range = isMonth ? "months are JAN..DEC" : "weekdays are SUN..SAT"
        let meant = meaning(of: word, isMonth: isMonth)
        let otherNames = isMonth ? FieldNames.longWeekdays : FieldNames.longMonths
        if word.count >= 3, otherNames.contains(where: { $0.uppercased().hasPrefix(word) }) {
            // The abbreviation of an English month can be that of a weekday in another language: "MAR", Tuesday.
            let also = meant.map { " (\(long[$0]) is \(known[$0]))" } ?? ""
            return error(
                from: start, to: end, "\(name) is a \(isMonth ? "weekday" : "month"); \(range)\(also)")
        }
        let hint = meant.map { "use \(known[$0])" } ?? range
        return error(from: start, to: end, "unknown name \(name); \(hint)")
    }

    /// Returns the place of the weekday or month that a word probably stands for, in English or another language; nil
    /// if that is uncertain.
    private func meaning(of word: String, isMonth: Bool) -> Int? {
        let known = isMonth ? FieldNames.months : FieldNames.weekdays
        let long = (isMonth ? FieldNames.longMonths : FieldNames.longWeekdays).map { $0.uppercased() }
        if let whole = ForeignNames.index(ofName: word, isMonth: isMonth) { return whole }
        let begun = word.count >= 2 ? long.indices.filter { long[$0].hasPrefix(word) } : []
        if begun.count == 1 { return begun[0] }
        if let first = known.firstIndex(where: { word.hasPrefix($0) }) { return first }
        if ForeignNames.contain(beginning: word, isMonth: isMonth) {
            return ForeignNames.index(ofBeginning: word, isMonth: isMonth)
        }
        // In a word of three letters, a wrong first letter leaves too little for a guess.
        let candidates = (known + long).filter { word.count > 3 || $0.first == word.first }
        guard let closest = SpellingSuggestion.closestMatch(to: word, among: candidates) else { return nil }
        let others = candidates.filter { $0.prefix(3) != closest.prefix(3) }
        // An equally close word of another meaning makes the guess uncertain.
        if let other = SpellingSuggestion.closestMatch(to: word, among: others),
            SpellingSuggestion.errors(in: word, comparedTo: other)
                <= SpellingSuggestion.errors(in: word, comparedTo: closest)
        {
            return nil
        }
        return known.firstIndex(of: closest) ?? long.firstIndex(of: closest)
    }

    /// Returns the error for a letter that has a meaning in other dialects.
    private func specialLetter(_ word: String, _ name: String, _ start: Int, _ end: Int) -> ScheduleError? {
        switch word {
        case "H": return error(from: start, to: end, "hashed \"H\" is not allowed in a schedule; write the number")
        case "R": return error(from: start, to: end, "random \"R\" is not allowed in a schedule; write the number")
        case "L" where field == .dayOfMonth:
            return error(from: start, to: itemEnd(start), "write \"L\" (the last day) alone or in a list")
        case "L": return error(from: start, to: end, "\"L\" (the last day) is for day of month only")
        case "W", "LW": return error(from: start, to: end, "\"W\" is not supported; write the days, or weekdays 1-5")
        default: return nil
        }
    }

    /// Returns the error for a character at which an item should begin or end.
    func unexpected() -> ScheduleError {
        let byte = bytes[position]
        let previous = position > 0 ? bytes[position - 1] : 0
        if byte >= 0x80 { return unexpectedCharacter() }
        let end = byte.isLetter ? wordEnd(position) : byte.isDigit ? itemEnd(position) : position + 1
        let found = quoted(position, end)
        if let special = unexpectedLetter(text(position, end).uppercased(), end) { return special }
        switch byte {
        case UInt8(ascii: "?"): return error(from: position, "\"?\" is not allowed here; write \"*\"")
        case UInt8(ascii: "~"):
            return error(from: position, "random \"~\" is not allowed in a schedule; for a range write \"-\"")
        case UInt8(ascii: ":"):
            return error(from: position, "unexpected \":\"; the minute is a separate field, the first one")
        case UInt8(ascii: "#") where field == .dayOfWeek:
            return error(from: position, "unexpected \"#\"; the second Friday is \"5#2\"")
        case _ where byte.isDigit && previous == UInt8(ascii: "*"):
            return error(
                from: position, to: end,
                "unexpected \(found) after \"*\"; for a step write \"*/\(text(position, end))\"")
        case UInt8(ascii: "-") where previous == UInt8(ascii: "*"):
            return error(from: position, "unexpected \"-\" after \"*\"; a range begins with a number")
        default:
            return error(from: position, to: end, "unexpected \(found) in \(quoted(0, bytes.count))")
        }
    }

    private func unexpectedLetter(_ word: String, _ end: Int) -> ScheduleError? {
        switch (word, field) {
        case ("L", .dayOfWeek):
            return error(from: 0, "\"L\" after a weekday is not supported; the fourth is \"#4\", a fifth \"#5\"")
        case ("W", _): return specialLetter("W", "\"W\"", position, end)
        default: return nil
        }
    }

    private func unexpectedCharacter() -> ScheduleError {
        let rest = text(position, bytes.count)
        let character = rest.first.map { String($0) } ?? ""
        // A locale without the character shows another one.
        let digits = String(rest.unicodeScalars.first?.value ?? 0, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let name = "\(ScheduleError.quoted(character)) (\(code)"
        switch character {
        case "–", "—", "‐", "‑", "−":
            return error(from: position, "unexpected character \(name), a dash); for a range write \"-\"")
        default:
            return error(from: position, "unexpected character \(name); only ASCII digits, letters and \"*,-/#\")")
        }
    }
}
