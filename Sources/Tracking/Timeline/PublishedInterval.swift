import CivilTime

/// What of the time was told when the receiver's date was another one.
///
/// A receiver can be found to have been ahead of the time. What was told by its date stays told, and no time is told twice.
struct PublishedInterval: Equatable, Sendable, Codable {
    /// Time that is told.
    struct TimeSpan: Equatable, Codable {
        var start: Timestamp
        var end: Timestamp
    }

    /// An absence that a leap of the date ends.
    struct ClockJump: Equatable, Codable {
        var event: OpenEvent
        var end: Timestamp
    }

    /// A vehicle in use has positions once a year: a date that leaps over more can be a receiver's mistake (one that counts
    /// its weeks wrongly is off by 19.6 years), and the absence before it stays provisional, seconds.
    static let longestPlausibleGapSeconds = 366 * 86_400.0

    /// Where the told time that the open event goes on with begins; all of it from there on is told, but for a leap.
    var currentStart: Timestamp?
    /// What is told of a time that is yet to come.
    var upcoming: TimeSpan?
    /// The last absence that may turn out to be shorter.
    var clockJump: ClockJump?

    /// Whether an instant before the open event can be told still.
    func isUnpublished(at time: Timestamp) -> Bool {
        guard let currentStart else { return true }
        return time < currentStart || clockJump.map { $0.event.start < time && time < $0.end } ?? false
    }
}
