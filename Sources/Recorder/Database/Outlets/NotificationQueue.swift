/// The notifications that wait in a recorder's database.
package protocol NotificationQueue: AnyObject {
    /// Returns the next notification of each rule, if one is due.
    /// - Parameter turns: The rules, each with the vehicle that had the last turn.
    func due(after turns: [String: Int64]) throws(DatabaseFailure) -> [PendingNotification]

    /// Returns the vehicles of which too many notifications of a rule are dropped, each once an hour.
    func takeNewFloods() -> [NotificationFlood]

    /// Stores what became of an attempt to deliver a notification.
    /// - Parameter delaySeconds: The time until the next attempt, if this one failed.
    func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) throws(DatabaseFailure)
}
