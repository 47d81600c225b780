import OdographCivilTime

extension SQLRecordDatabase {
    package func begin(_ rules: [Rule], fleets: Set<String>) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in try notifications.begin(rules) }
        self.rules = try RuleDesk(rules, fleets: fleets, connection, notifications, alerts)
    }

    package func tick(connectedSince: ContinuousClock.Instant?, gaps: [OpenGap]?) throws(DatabaseFailure) {
        guard let rules else { return }
        do throws(DatabaseFailure) {
            try rules.tick(connection, at: .now, connectedSince: connectedSince, gaps: gaps)
        } catch {
            rules.forget()
            throw error
        }
    }

    package func dueNotifications(after turns: [String: Int64]) throws(DatabaseFailure) -> [PendingNotification] {
        var due: [PendingNotification] = []
        for (rule, vehicle) in turns {
            if let next = try notifications.due(of: rule, after: vehicle, at: .now) { due.append(next) }
        }
        return due
    }

    package func takeNewFloods() -> [NotificationFlood] { notifications.takeNewFloods() }

    package func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            try notifications.note(result, of: notification, next: Timestamp.now.advanced(bySeconds: delaySeconds))
        }
    }

    package func silentCount(connectedSince: ContinuousClock.Instant?) -> Int {
        rules?.silentCount(at: .now, connectedSince: connectedSince) ?? 0
    }

    package func beginRelay() throws(DatabaseFailure) { try relay.begin() }

    package func relayPage() throws(DatabaseFailure) -> RelayPage { try relay.page() }

    package func moveRelay(
        to place: Int64, in page: RelayPage, relayed: Int, refused: Int
    ) throws(DatabaseFailure) {
        try relay.move(to: place, in: page, relayed: relayed, refused: refused)
    }
}

extension RuleMoment {
    /// This moment.
    static var now: RuleMoment { RuleMoment(date: Timestamp.now, instant: ContinuousClock.now) }
}
