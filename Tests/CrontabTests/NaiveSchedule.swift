import CivilTime

/// The schedule once more, written from the rules with sets and text, and searched minute by minute: slow, and as
/// different from the one under test as it can be.
struct NaiveSchedule {
    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let months: Set<Int>
    private let dayField: String
    private let weekdayField: String

    init(_ expression: String) {
        let fields = expression.uppercased().split { $0 == " " || $0 == "\t" }.map(String.init)
        minutes = Self.numbers(fields[0], 0...59)
        hours = Self.numbers(fields[1], 0...23)
        months = Self.numbers(fields[3], 1...12)
        dayField = fields[2]
        weekdayField = fields[4]
    }

    func matches(_ local: LocalTime) -> Bool {
        guard minutes.contains(local.minute), hours.contains(local.hour), months.contains(local.date.month) else {
            return false
        }
        let isLast = CivilDate(daysSinceEpoch: local.date.daysSinceEpoch + 1).day == 1
        let day = dayField.split(separator: ",").contains { item in
            item == "L" ? isLast : Self.numbers(String(item), 1...31).contains(local.date.day)
        }
        let weekday = weekdayField.split(separator: ",").contains { item in
            let parts = item.split(separator: "#")
            let isWeekday = Set(Self.numbers(String(parts[0]), 0...7).map { $0 % 7 }).contains(local.date.weekday)
            return isWeekday && (parts.count == 1 || Int(parts[1]) == (local.date.day + 6) / 7)
        }
        let isStarred = dayField.hasPrefix("*") || weekdayField.hasPrefix("*")
        return isStarred ? day && weekday : day || weekday
    }

    /// The first change in the given number of minutes; every second of a minute in which the zone changes is looked at.
    func nextChange(after instant: Timestamp, in zone: ZoneRules, withinMinutes limit: Int) -> Timestamp? {
        let start = instant.secondsSinceEpoch
        let isOpen = matches(zone.localTime(at: instant))
        for second in Array(start + 1..<start + 60) where at(second, zone) != isOpen { return instantOf(second) }
        // From here on by the minute of UTC: the zones and years of the tests have whole minutes of offset.
        var second = (start / 60 + 1) * 60
        for _ in 0..<limit {
            if at(second, zone) != isOpen { return instantOf(second) }
            second += 60
        }
        return nil
    }

    private func at(_ second: Int64, _ zone: ZoneRules) -> Bool { matches(zone.localTime(at: instantOf(second))) }

    private func instantOf(_ second: Int64) -> Timestamp { Timestamp(millisecondsSinceEpoch: second * 1000) }

    private static func numbers(_ field: String, _ all: ClosedRange<Int>) -> Set<Int> {
        var result: Set<Int> = []
        for item in field.split(separator: ",") {
            let parts = item.split(separator: "/")
            let step = parts.count == 2 ? Int(parts[1]) ?? 1 : 1
            let ends = parts[0].split(separator: "-").compactMap { Int($0) }
            let first = ends.first ?? all.lowerBound
            let isOpenEnded = parts[0] == "*" || (ends.count == 1 && parts.count == 2)
            let last = isOpenEnded ? all.upperBound : ends.last ?? first
            result.formUnion(stride(from: first, through: last, by: step))
        }
        return result
    }
}

/// A small generator with a seed, so that a failure can be repeated. Source: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators" (2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}

extension SeededGenerator {
    /// A field of a list of up to three items.
    mutating func field(_ range: ClosedRange<Int>, starChance: Int) -> String {
        if Int.random(in: 0..<100, using: &self) < starChance { return "*" }
        return (0..<Int.random(in: 1...3, using: &self)).map { _ in item(range) }.joined(separator: ",")
    }

    private mutating func item(_ range: ClosedRange<Int>) -> String {
        let ends = [Int.random(in: range, using: &self), Int.random(in: range, using: &self)].sorted()
        let step = Int.random(in: 1...7, using: &self)
        switch Int.random(in: 0..<6, using: &self) {
        case 0, 1: return "\(ends[0])"
        case 2, 3: return "\(ends[0])-\(ends[1])"
        case 4: return "\(ends[0])-\(ends[1])/\(step)"
        default: return "*/\(step)"
        }
    }

    /// An expression of five fields; it may be one that never matches.
    mutating func expression() -> String {
        var day = field(1...31, starChance: 50)
        if Int.random(in: 0..<8, using: &self) == 0 { day = Bool.random(using: &self) ? "L" : "\(day),L" }
        var weekday = field(0...7, starChance: 50)
        if Int.random(in: 0..<8, using: &self) == 0 {
            weekday = "\(Int.random(in: 0...7, using: &self))#\(Int.random(in: 1...5, using: &self))"
        }
        let minute = field(0...59, starChance: 50)
        return "\(minute) \(field(0...23, starChance: 30)) \(day) \(field(1...12, starChance: 60)) \(weekday)"
    }
}
