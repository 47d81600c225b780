import Logging

extension FleetRecorder {
    /// Looks for silent vehicles and, if they are given, for gaps that do not fill.
    /// - Parameter gaps: The open gaps that are watched; nil to look for none.
    func tick(gaps: [OpenGap]?) throws(DatabaseFailure) {
        let connectedSince = connectedSince
        let silent = try withDatabase { database throws(DatabaseFailure) in
            try database.tick(connectedSince: connectedSince, gaps: gaps)
            return database.silentCount(connectedSince: connectedSince)
        }
        counters.setSilent(silent ?? 0)
    }

    /// Whether this recorder writes the database, and does not wait for another one.
    var isActive: Bool { database != nil }

    /// Returns the next notification of each rule, if one is due.
    /// - Parameter turns: The rules, each with the vehicle that had the last turn.
    func dueNotifications(after turns: [String: Int64]) throws(DatabaseFailure) -> [PendingNotification] {
        try withDatabase { database throws(DatabaseFailure) in
            for flood in database.takeNewFloods() {
                logger.error(
                    """
                    rule \(flood.rule): notifications of \(flood.device) of \(flood.fleet) are dropped, because it \
                    triggers too many; look at what this vehicle publishes, or revoke its certificate
                    """)
            }
            return try database.dueNotifications(after: turns)
        } ?? []
    }

    /// Stores what became of an attempt to deliver a notification.
    /// - Returns: Whether it is stored.
    func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) throws(DatabaseFailure) -> Bool {
        try withDatabase { database throws(DatabaseFailure) in
            try database.note(result, of: notification, delaySeconds: delaySeconds)
        } != nil
    }

    /// Returns the records after the place of the relay; nil if this recorder waits for another one.
    func relayPage() throws(DatabaseFailure) -> RelayPage? {
        try withDatabase { database throws(DatabaseFailure) in try database.relayPage() }
    }

    /// Moves the place of the relay.
    /// - Returns: Whether it is stored.
    func moveRelay(
        to place: Int64, in page: RelayPage, relayed: Int, refused: Int
    ) throws(DatabaseFailure) -> Bool {
        try withDatabase { database throws(DatabaseFailure) in
            try database.moveRelay(to: place, in: page, relayed: relayed, refused: refused)
        } != nil
    }
}
