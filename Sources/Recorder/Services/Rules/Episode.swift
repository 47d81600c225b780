import OdographCivilTime

/// The identity of an episode that the database keeps.
struct EpisodeKey: Hashable, Sendable {
    /// The name of the rule.
    var rule: String
    /// The key of the vehicle.
    var vehicle: Int64
    /// The thing that the episode is about, if a vehicle can have several at a time; empty otherwise.
    var subject = ""
}

/// An episode of a rule that lasts. The database keeps it, so that a restart does not repeat its notification.
struct Episode: Hashable, Sendable {
    /// When it began.
    var begin: Timestamp
    /// A number whose meaning depends on the rule: for gaps the greatest number that the episode contains; else 0.
    var mark: Int64 = 0
}

/// Missing numbers for which a rule waits.
struct GapWait: Hashable, Sendable {
    /// When they were noticed.
    var begin: RuleMoment
    /// The greatest of them.
    var mark: Int64
}

/// The end of an episode.
struct EpisodeEnd: Hashable, Sendable {
    /// The episode.
    var key: EpisodeKey
    /// When it ended; nil for the moment of the evaluation.
    var time: Timestamp?
    /// The number of the new notifications before it.
    var notifications: Int
}

/// The changes by an evaluation of rules.
struct RuleChanges: Hashable, Sendable {
    /// The new notifications.
    var notifications: [RuleNotification] = []
    /// The episodes to store; nil to remove one.
    var episodes: [EpisodeKey: Episode?] = [:]
    /// The episodes that have ended, in order: the records of one batch can end an episode and begin the next one.
    var ends: [EpisodeEnd] = []

    var isEmpty: Bool { notifications.isEmpty && episodes.isEmpty }

    /// Adds the changes of a later evaluation.
    mutating func add(_ later: RuleChanges) {
        for var end in later.ends {
            end.notifications += notifications.count
            ends.append(end)
        }
        notifications += later.notifications
        episodes.merge(later.episodes) { $1 }
    }
}

/// A moment in both clocks.
struct RuleMoment: Hashable, Sendable {
    /// The date, by this machine's clock.
    var date: Timestamp
    /// The moment of the monotonic clock, for durations.
    var instant: ContinuousClock.Instant

    /// The latest date that a message can have: the clock of a vehicle can be some minutes ahead.
    var latestDate: Timestamp { date.advanced(bySeconds: 300) }
}
