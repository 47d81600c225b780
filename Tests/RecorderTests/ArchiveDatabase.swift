import OdographWire

@testable import OdographRecorder

/// A database of the recorder, to which a test adds the services when it needs them.
final class ArchiveDatabase {
    let records: RecordDatabase
    private let relay: RelayTable
    private let waitingNotifications: Int
    /// The observers of the transactions without rules: problems of vehicles are alerts all the same.
    private var observers: [any BatchObserver]
    /// Nil before ``begin(_:)``.
    private var services: OpenDatabase?

    init(
        _ records: RecordDatabase, waitingNotifications: Int = NotificationTable.usualMaximumRows
    ) throws(DatabaseFailure) {
        (self.records, self.waitingNotifications) = (records, waitingNotifications)
        relay = try RelayTable(records.connection)
        observers = [try AlertTable(records.connection)]
    }

    /// Begins the evaluation of rules for the fleet of the tests.
    func begin(_ rules: [Rule]) throws(DatabaseFailure) {
        let services = try OpenDatabase(
            records, rules: rules, fleets: ["acme"], isRelaying: false, waitingNotifications: waitingNotifications)
        (self.services, observers) = (services, services.observers)
    }

    /// Stores entries in one batch.
    func write(_ entries: [BatchEntry]) throws(DatabaseFailure) {
        try records.write(entries, observers: observers)
    }

    func tick(connectedSince: ContinuousClock.Instant?, gaps: [OpenGap]?) throws(DatabaseFailure) {
        try services?.watch.tick(connectedSince: connectedSince, gaps: gaps)
    }

    func dueNotifications(after turns: [String: Int64]) throws(DatabaseFailure) -> [PendingNotification] {
        try services?.notifications.due(after: turns) ?? []
    }

    func takeNewFloods() -> [NotificationFlood] { services?.notifications.takeNewFloods() ?? [] }

    func note(
        _ result: DeliveryResult, of notification: PendingNotification, delaySeconds: Double
    ) throws(DatabaseFailure) {
        try services?.notifications.note(result, of: notification, delaySeconds: delaySeconds)
    }

    func beginRelay() throws(DatabaseFailure) { try relay.begin() }

    func relayPage() throws(DatabaseFailure) -> RelayPage { try relay.page() }

    func moveRelay(to place: Int64, in page: RelayPage, relayed: Int, refused: Int) throws(DatabaseFailure) {
        try relay.move(to: place, in: page, relayed: relayed, refused: refused)
    }
}
