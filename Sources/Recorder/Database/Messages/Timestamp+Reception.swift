import OdographCivilTime

extension Timestamp {
    /// Returns whether a right clock can have said this time by the reception of the message: it is at most a day
    /// later.
    func isPossible(receivedAt reception: Timestamp) -> Bool { seconds(since: reception) <= 86_400 }
}
