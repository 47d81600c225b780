import OdographWire

/// Decides when the receipt of a vehicle is computed, and whether it is published.
///
/// It has neither a clock nor a connection. The broker keeps the newest receipt of each vehicle, and the schedule knows
/// it from the subscription to the own receipts.
package struct ReceiptSchedule: Sendable {
    /// A moment of the clock that goes on while the machine sleeps.
    package typealias Instant = ContinuousClock.Instant

    /// The times between the receipts of a vehicle.
    package struct Times: Hashable, Sendable {
        /// The time between two receipts while records arrive.
        package var interval: Duration
        /// The shortest time between two receipts, whatever a vehicle, the broker or another client publishes. While a
        /// backlog drains, a receipt comes in this time.
        package var shortest: Duration
        /// The number of backlog records from which the shortest time counts. Without it, a vehicle in a bad network
        /// gets a receipt for each record, which is more data than the record.
        package static let drainRecords = 100
        /// The time from the subscription to the first receipts. The retained receipts arrive in it. Those that are
        /// later are corrected: the revision of the next receipt is greater.
        package static let settling = Duration.seconds(1)

        /// - Parameter interval: The time between two receipts while records arrive, seconds.
        package init(interval: Int) {
            self.interval = .seconds(interval)
            shortest = .seconds(min(interval, 10))
        }
    }

    /// The receipt on the broker.
    private enum Retained {
        case none
        case unreadable
        case receipt(Receipt)
    }

    private struct Entry {
        /// Whether the vehicle reads receipts, from its report.
        var readsReceipts = false
        var retained = Retained.none
        /// The greatest revision that the vehicle has reported or the broker has had.
        var knownRevision: Int64 = 0
        /// The revision of the last published receipt; 0 if there is none.
        var publishedRevision: Int64 = 0
        /// The revision of the first receipt that was published on this connection; nil if there is none.
        var firstRevision: Int64?
        /// Whether the broker has passed on a receipt that was published on this connection. What arrives after it was
        /// published after it. What arrives before it can have waited in the session.
        var hasSeenOwn = false
        /// When the receipt was computed last.
        var last: Instant?
        var backlogRecords = 0
        var due: Instant?

        /// Whether the vehicle gets receipts. A retained receipt is corrected for every vehicle.
        var isOn: Bool {
            if case .none = retained { return readsReceipts }
            return true
        }

        mutating func setDue(_ time: Instant) { due = min(due ?? time, time) }

        /// Returns when the next receipt is computed; nil if none is due.
        func nextTurn(_ times: Times) -> Instant? {
            guard isOn, let due else { return nil }
            return last.map { max(due, $0 + times.shortest) } ?? due
        }
    }

    /// The greatest revision on the broker that counts. JSON programs read integers exactly up to 2^53. The rest is for
    /// receipts of this recorder, which are greater: it cannot use it up.
    static let maximumRevision: Int64 = 1 << 53 - 1 << 32
    /// The greatest revision that counts in the report of a vehicle, above the milliseconds since 1970: 35 years. A
    /// recorder whose clock was ahead has published such ones. A vehicle that states a greater one has invented it.
    static let maximumReportedLead: Int64 = 1 << 40

    private let times: Times
    private var databaseID = ""
    private var entries: [DeviceAddress: Entry] = [:]
    /// When the first receipts of the connection are published; nil without a subscription.
    private var start: Instant?

    /// - Parameter times: The times between the receipts.
    package init(times: Times) { self.times = times }

    // MARK: - Events

    /// Begins a connection. The knowledge of the retained receipts ends: the broker may have others now.
    /// - Parameters:
    ///   - databaseID: The random name of the database.
    ///   - readers: The vehicles that read receipts, from the database.
    ///   - now: The time.
    package mutating func connect(databaseID: String, readers: [DeviceAddress], now: Instant) {
        self.databaseID = databaseID
        start = nil
        for vehicle in readers { entries[vehicle, default: Entry()].readsReceipts = true }
        for vehicle in entries.keys {
            entries[vehicle]?.retained = .none
            entries[vehicle]?.firstRevision = nil
            entries[vehicle]?.hasSeenOwn = false
            entries[vehicle]?.setDue(now)
        }
    }

    /// Notes that the broker has answered a subscription to the own receipts.
    package mutating func subscribe(now: Instant) { start = now + Times.settling }

    /// Notes the end of the connection.
    package mutating func disconnect() { start = nil }

    /// Notes a receipt of the own name.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - receipt: The receipt; nil if it is not readable.
    ///   - isRetained: Whether it was published before the subscription.
    ///   - now: The time.
    /// - Returns: The name of another database that publishes under the own name at present; nil if there is
    ///   none. A receipt of a former database, or of a recorder that has ended, can still wait in the session.
    package mutating func receive(
        _ receipt: Receipt?, of vehicle: DeviceAddress, isRetained: Bool, now: Instant
    ) -> String? {
        var entry = entries[vehicle, default: Entry()]
        defer { entries[vehicle] = entry }
        guard let receipt, receipt.revision <= max(Self.maximumRevision, entry.publishedRevision) else {
            entry.retained = .unreadable
            entry.setDue(now)
            return nil
        }
        entry.knownRevision = max(entry.knownRevision, receipt.revision)
        if receipt.databaseID == databaseID {
            if let first = entry.firstRevision, receipt.revision >= first { entry.hasSeenOwn = true }
            // The broker passes on each own receipt. It can have a newer one already.
            if !isRetained, receipt.revision <= entry.publishedRevision { return nil }
        } else if entry.hasSeenOwn, !isRetained {
            return receipt.databaseID
        }
        entry.retained = .receipt(receipt)
        if isRetained || receipt.databaseID != databaseID { entry.setDue(now) }
        return nil
    }

    /// Notes that the receipts of vehicles were computed, and not sent.
    package mutating func repeatTurn(of vehicles: [DeviceAddress], now: Instant) {
        for vehicle in vehicles {
            entries[vehicle]?.retained = .unreadable
            entries[vehicle]?.setDue(now)
        }
    }

    /// Notes that a client has deleted the retained receipt of a vehicle.
    package mutating func receiveDeletion(of vehicle: DeviceAddress, now: Instant) {
        entries[vehicle]?.retained = .none
        entries[vehicle]?.setDue(now)
    }

    /// Notes a committed record of a vehicle.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - isBacklog: Whether it came on a backlog topic.
    ///   - now: The time.
    package mutating func store(recordOf vehicle: DeviceAddress, isBacklog: Bool, now: Instant) {
        guard var entry = entries[vehicle], entry.isOn else { return }
        if isBacklog { entry.backlogRecords += 1 }
        let wait = entry.backlogRecords >= Times.drainRecords ? times.shortest : times.interval
        entry.setDue(entry.last.map { max($0 + wait, now) } ?? now)
        entries[vehicle] = entry
    }

    /// Notes a committed report of a vehicle.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - readsReceipts: Whether it reads receipts.
    ///   - receipt: The receipt of the own recorder that is in force in the vehicle; nil if there is none.
    ///   - now: The time.
    ///   - milliseconds: The time since 1970.
    package mutating func store(
        reportOf vehicle: DeviceAddress, readsReceipts: Bool, receipt: ReportedReceipt?, now: Instant,
        milliseconds: Int64
    ) {
        guard readsReceipts || entries[vehicle] != nil else { return }
        var entry = entries[vehicle, default: Entry()]
        if readsReceipts, !entry.readsReceipts { entry.setDue(now) }
        entry.readsReceipts = readsReceipts
        if let receipt, receipt.revision <= milliseconds + Self.maximumReportedLead,
            receipt.revision > entry.publishedRevision
        {
            entry.knownRevision = max(entry.knownRevision, receipt.revision)
            entry.setDue(now)
        }
        entries[vehicle] = entry
    }

    /// Notes a complete backup, which makes records safe.
    package mutating func completeBackup(now: Instant) {
        for vehicle in entries.keys { entries[vehicle]?.setDue(now) }
    }

    // MARK: - Decisions

    /// The time at which the next receipt is due; nil if there is none, or no subscription.
    package var nextDue: Instant? {
        guard let start, let due = entries.values.lazy.compactMap({ $0.nextTurn(times) }).min() else { return nil }
        return max(due, start)
    }

    /// Removes and returns vehicles whose receipts are due.
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: The greatest number of vehicles.
    package mutating func takeDue(now: Instant, limit: Int) -> [DeviceAddress] {
        guard let start, start <= now else { return [] }
        let due = entries.lazy.filter { [times] in $0.value.nextTurn(times).map { $0 <= now } ?? false }
        let vehicles = Array(due.prefix(limit).map(\.key))
        for vehicle in vehicles {
            entries[vehicle]?.due = nil
            entries[vehicle]?.last = now
            entries[vehicle]?.backlogRecords = 0
        }
        return vehicles
    }

    /// Returns the receipt to publish; nil if the broker has it already.
    /// - Parameters:
    ///   - statement: The receipt as the database says it, with any revision.
    ///   - vehicle: The vehicle.
    ///   - databaseRevision: The greatest revision that the database knows.
    ///   - milliseconds: The time since 1970. With it the revision grows also if all else was lost.
    package mutating func receiptToPublish(
        _ statement: Receipt, for vehicle: DeviceAddress, databaseRevision: Int64, milliseconds: Int64
    ) -> Receipt? {
        var entry = entries[vehicle, default: Entry()]
        var receipt = statement
        let known = max(entry.knownRevision, databaseRevision, entry.publishedRevision)
        if case .receipt(let retained) = entry.retained, retained.revision >= known {
            receipt.revision = retained.revision
            if receipt == retained { return nil }
        }
        receipt.revision = max(known + 1, milliseconds)
        entry.retained = .receipt(receipt)
        entry.publishedRevision = receipt.revision
        entry.firstRevision = entry.firstRevision ?? receipt.revision
        entries[vehicle] = entry
        return receipt
    }
}
