import OdographCivilTime
import OdographWire

/// Evaluates the rules in the transactions of the recorder. So no notification is lost or repeated by a kill.
final class RuleDesk: BatchObserver, RuleWatch {
    private let rules: [Rule]
    private let fleets: Set<String>
    private let kinds: [String: RuleKind]
    private let connection: any RecorderConnection
    private let table: RuleTable
    private let notifications: NotificationTable
    private let alerts: AlertTable
    /// Nil after an error: the database then has what is valid.
    private var engine: RuleEngine?

    /// Begins the evaluation of rules. What the database has of other rules is removed.
    /// - Parameters:
    ///   - rules: The rules.
    ///   - fleets: The recorded fleets. The vehicles of others that were recorded once are not silent.
    ///   - connection: The database.
    ///   - notifications: Stores what the rules tell.
    ///   - alerts: Stores what the rules find.
    init(
        _ rules: [Rule], fleets: Set<String>, _ connection: any RecorderConnection,
        _ notifications: NotificationTable, _ alerts: AlertTable
    ) throws(DatabaseFailure) {
        (self.rules, self.fleets, self.connection) = (rules, fleets, connection)
        kinds = Dictionary(rules.map { ($0.name, $0.condition.kind) }) { first, _ in first }
        table = try RuleTable(connection)
        self.notifications = notifications
        self.alerts = alerts
        try connection.transaction { () throws(DatabaseFailure) in
            try notifications.begin(rules)
            try table.removeOthers(than: rules)
            try alerts.endForgotten(at: .now)
        }
        engine = try loaded()
    }

    func forget() { engine = nil }

    func evaluate(_ stored: StoredChanges) throws(DatabaseFailure) {
        var engine = try takeEngine()
        defer { self.engine = engine }
        let instant = ContinuousClock.now
        var changes = RuleChanges()
        for record in stored.records {
            let vehicle = record.message.ruleVehicle(record.identity.vehicle)
            let now = RuleMoment(date: record.received, instant: instant)
            switch record.message.content {
            case .location(let event): changes.add(engine.handle(event, of: vehicle, at: now))
            case .timeline(let event): changes.add(engine.handle(event, of: vehicle, at: now))
            case .givenUp, .status, .reported: changes.add(engine.handleRecord(of: vehicle, at: now))
            }
        }
        for report in stored.reports {
            guard case .message(let message) = report.entry.content else { continue }
            let now = RuleMoment(date: report.entry.received, instant: instant)
            let vehicle = message.ruleVehicle(report.vehicle)
            switch message.content {
            case .status(let status): changes.add(engine.handle(status, of: vehicle, at: now))
            case .reported(let report): changes.add(engine.handle(report, of: vehicle, at: now))
            case .location, .timeline, .givenUp: break
            }
        }
        let receptions = stored.records.map(\.received) + stored.reports.map(\.entry.received)
        try store(changes, at: receptions.max() ?? .now)
    }

    package func tick(connectedSince: ContinuousClock.Instant?, gaps: [OpenGap]?) throws(DatabaseFailure) {
        do throws(DatabaseFailure) {
            try look(at: .now, connectedSince: connectedSince, gaps: gaps)
        } catch {
            forget()
            throw error
        }
    }

    private func look(
        at now: RuleMoment, connectedSince: ContinuousClock.Instant?, gaps: [OpenGap]?
    ) throws(DatabaseFailure) {
        var engine = try takeEngine()
        defer { self.engine = engine }
        var changes = engine.findSilence(at: now, connectedSince: connectedSince)
        changes.add(engine.findMissingPositions(at: now, connectedSince: connectedSince))
        changes.add(engine.findCertificates(at: now, connectedSince: connectedSince))
        changes.add(engine.findRefusals(at: now))
        if let gaps { changes.add(engine.findGaps(gaps, at: now)) }
        guard !changes.isEmpty else { return }
        try connection.transaction { () throws(DatabaseFailure) in try store(changes, at: now.date) }
    }

    package func silentCount(connectedSince: ContinuousClock.Instant?) -> Int {
        engine?.silentCount(at: .now, connectedSince: connectedSince) ?? 0
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

extension RuleMoment {
    /// This moment.
    fileprivate static var now: RuleMoment { RuleMoment(date: Timestamp.now, instant: ContinuousClock.now) }
}
