import OdographCivilTime
import OdographWire

/// Evaluates the rules in the transactions of the recorder: what they decide is stored together with the messages, or
/// not at all. So no notification is lost or repeated by a kill.
final class RuleDesk {
    private let rules: [Rule]
    private let fleets: Set<String>
    private let kinds: [String: RuleKind]
    private let table: RuleTable
    private let notifications: NotificationTable
    private let alerts: AlertTable
    /// Nil after an error: the database then has what is valid.
    private var engine: RuleEngine?

    init(
        _ rules: [Rule], fleets: Set<String>, _ connection: any RecorderConnection,
        _ notifications: NotificationTable, _ alerts: AlertTable
    ) throws(DatabaseFailure) {
        self.rules = rules
        self.fleets = fleets
        kinds = Dictionary(rules.map { ($0.name, $0.condition.kind) }) { first, _ in first }
        table = try RuleTable(connection)
        self.notifications = notifications
        self.alerts = alerts
        try connection.transaction { () throws(DatabaseFailure) in
            try table.removeOthers(than: rules)
            try alerts.endForgotten(at: .now)
        }
        engine = try loaded()
    }

    /// Forgets what a rolled back transaction may have changed.
    func forget() { engine = nil }

    /// Evaluates received messages, in the transaction that stores them.
    /// - Parameters:
    ///   - reports: The entries with a status or a report, with the keys of their vehicles.
    ///   - records: The new records.
    func evaluate(reports: [(vehicle: Int64, entry: BatchEntry)], records: [NumberedMessage]) throws(DatabaseFailure) {
        var engine = try takeEngine()
        defer { self.engine = engine }
        let instant = ContinuousClock.now
        var changes = RuleChanges()
        for record in records {
            let vehicle = record.message.ruleVehicle(record.identity.vehicle)
            let now = RuleMoment(date: record.received, instant: instant)
            switch record.message.content {
            case .location(let event): changes.add(engine.handle(event, of: vehicle, at: now))
            case .timeline(let event): changes.add(engine.handle(event, of: vehicle, at: now))
            case .givenUp, .status, .reported: changes.add(engine.handleRecord(of: vehicle, at: now))
            }
        }
        for (key, entry) in reports {
            guard case .message(let message) = entry.content else { continue }
            let (vehicle, now) = (message.ruleVehicle(key), RuleMoment(date: entry.received, instant: instant))
            switch message.content {
            case .status(let status): changes.add(engine.handle(status, of: vehicle, at: now))
            case .reported(let report): changes.add(engine.handle(report, of: vehicle, at: now))
            case .location, .timeline, .givenUp: break
            }
        }
        let receptions = records.map(\.received) + reports.map(\.entry.received)
        try store(changes, at: receptions.max() ?? .now)
    }

    /// Looks for vehicles that have become silent and, if they are given, for gaps that do not fill.
    func tick(
        _ connection: any RecorderConnection, at now: RuleMoment, connectedSince: ContinuousClock.Instant?,
        gaps: [OpenGap]?
    ) throws(DatabaseFailure) {
        var engine = try takeEngine()
        defer { self.engine = engine }
        var changes = engine.findSilence(at: now, connectedSince: connectedSince)
        changes.add(engine.findMissingPositions(at: now, connectedSince: connectedSince))
        if let gaps { changes.add(engine.findGaps(gaps, at: now)) }
        guard !changes.isEmpty else { return }
        try connection.transaction { () throws(DatabaseFailure) in try store(changes, at: now.date) }
    }

    /// Returns how many vehicles are silent.
    func silentCount(at now: RuleMoment, connectedSince: ContinuousClock.Instant?) -> Int {
        engine?.silentCount(at: now, connectedSince: connectedSince) ?? 0
    }

    /// Returns the engine, and gives up its only reference: a copy of all vehicles would be slow.
    private func takeEngine() throws(DatabaseFailure) -> RuleEngine {
        let engine: RuleEngine
        if let known = self.engine { engine = known } else { engine = try loaded() }
        self.engine = nil
        return engine
    }

    private func loaded() throws(DatabaseFailure) -> RuleEngine {
        let vehicles = try table.vehicles(at: .now).filter { fleets.contains($0.vehicle.fleet) }
        return RuleEngine(rules: rules, vehicles: vehicles, episodes: try table.episodes())
    }

    private func store(_ changes: RuleChanges, at time: Timestamp) throws(DatabaseFailure) {
        guard !changes.isEmpty else { return }
        try table.store(changes.episodes, kinds: kinds)
        try alerts.store(changes, at: time)
        try notifications.insert(changes.notifications)
    }
}

extension VehicleMessage {
    fileprivate func ruleVehicle(_ key: Int64) -> RuleVehicle {
        RuleVehicle(key: key, fleet: vehicle.fleet, device: vehicle.device)
    }
}
