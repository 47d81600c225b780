import OdographHarness

extension SplitMix64 {
    /// Returns a field with a list of up to three items.
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

    /// Returns an expression of five fields, which may never match.
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
