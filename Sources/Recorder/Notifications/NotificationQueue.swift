/// The rules and the notifications of a recorder's database.
package protocol NotificationQueue: AnyObject {
    /// Begins the evaluation of rules: each following batch is evaluated in its transaction.
    /// - Parameter fleets: The recorded fleets. The vehicles of others that were recorded once are not silent.
    func begin(_ rules: [Rule], fleets: Set<String>) throws(DatabaseFailure)

    /// Looks for what happens because nothing comes: silent vehicles and, if they are given, gaps that do not fill.
    /// - Parameter connectedSince: Since when the recorder has been connected to the broker; nil while it is not.
    func tick(connectedSince: ContinuousClock.Instant?, gaps: [OpenGap]?) throws(DatabaseFailure)

    /// Returns the next notification of each rule, if one is due.
    /// - Parameter turns: The rules, each with the vehicle that had the last turn.
    func dueNotifications(after turns: [String: Int64]) throws(DatabaseFailure) -> [PendingNotification]

    /// Returns the vehicles of which too many notifications of a rule are dropped, each once an hour.
    func takeNewFloods() -> [NotificationFlood]

    /// Stores what became of an attempt to deliver a notification.
    /// - Parameter delaySeconds: The time until the next attempt, if this one failed.
    func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) throws(DatabaseFailure)

    /// Returns how many vehicles have made no sign of life for an hour although they should report.
    func silentCount(connectedSince: ContinuousClock.Instant?) -> Int
}
