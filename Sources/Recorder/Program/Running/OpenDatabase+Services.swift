extension OpenDatabase {
    /// Opens the database of a configuration for a recorder and its services, and creates the tables if there are none.
    package init(_ configuration: RecorderConfiguration) throws(DatabaseFailure) {
        let records =
            switch configuration.recording.database {
            case .file(let path): try RecordDatabase(path: path)
            case .server(let address): try RecordDatabase(address)
            }
        try self.init(
            records, rules: configuration.rules, fleets: configuration.recording.fleets,
            isRelaying: configuration.relay != nil)
    }

    /// Adds the services to a database.
    /// - Parameters:
    ///   - records: The database.
    ///   - rules: The rules.
    ///   - fleets: The recorded fleets.
    ///   - isRelaying: Whether there is a relay, which begins after the newest record if it is new.
    ///   - waitingNotifications: The number of notifications of a rule that wait; beyond it some are dropped.
    init(
        _ records: RecordDatabase, rules: [Rule], fleets: [String], isRelaying: Bool,
        waitingNotifications: Int = NotificationTable.usualMaximumRows
    ) throws(DatabaseFailure) {
        let connection = records.connection
        let notifications = try NotificationTable(connection, maximumRows: waitingNotifications)
        let alerts = try AlertTable(connection)
        let relay = try RelayTable(connection)
        let desk = try RuleDesk(rules, fleets: Set(fleets), connection, notifications, alerts)
        if isRelaying { try relay.begin() }
        // The problems that vehicles report first: their alerts are older than those of the rules.
        self.init(
            records: records, observers: [alerts, desk], watch: desk, notifications: notifications, relay: relay)
    }
}
