extension MessageForm {
    /// The greatest integer that every program with doubles represents exactly: 2⁵³ − 1.
    package static let greatestInteger = 9_007_199_254_740_991.0

    /// A number of a record, an epoch or a connection: from 1.
    static let ordinal = number(1...greatestInteger)
    /// A number of bytes, or of things that are counted for years.
    static let total = number(0...greatestInteger)
    /// A number of things. Sums of as many of them as a database has rows are exact.
    static let count = number(0...1e9)
    /// A distance or its error, metres.
    static let distance = number(0...1e12)
    /// A length of time, seconds: that of the calendar with years of four digits.
    static let duration = number(0...3.2e11)
    /// A speed, m/s.
    static let speed = number(0...1000)
    /// A speed, m/s; −1 if unknown.
    static let optionalSpeed = number(-1...1000)
    /// A radius, metres; −1 if unknown.
    static let accuracy = number(-1...20_037_509)
    /// A height, metres.
    static let altitude = number(-12_000...100_000)
    /// A share, 0 to 1.
    static let share = number(0...1)
    /// A value of an enumeration, or an identifier.
    static let word = text(atMost: 64)
    /// The names of beacons.
    static let beacons = list(of: word, atMost: 64)
    /// The latitude of a position, degrees.
    static let latitude = number(-90...90)
    /// The longitude of a position, degrees.
    static let longitude = number(-180...180)
    /// The name of a driver.
    static let driver = text(atMost: 200)

    /// Problems of an agent.
    static let problems = list(of: ["code": word, "text": free, "since": free], atMost: 64)
    /// The traffic budget.
    static let budget: MessageForm = [
        "bytes": total, "limit": total, "overshoot": total, "step": word, "from": free, "until": free,
    ]
}
