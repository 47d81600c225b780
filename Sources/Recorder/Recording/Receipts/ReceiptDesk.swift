import OdographCivilTime
import OdographJSON
import OdographLink
import OdographWire

/// Makes the messages with receipts from the database, when the schedule says that they are due.
struct ReceiptDesk {
    /// The number of receipts that are made at a time. Messages are received between two such turns.
    private static let turn = 500
    /// The time between two looks at the count of backups.
    private static let backupPause = Duration.seconds(10)
    /// The time after an error of the database.
    private static let failurePause = Duration.seconds(60)

    private let recording: RecordingSettings
    private var schedule: ReceiptSchedule
    private var databaseID = ""
    /// The known count of backups; nil if backups do not matter.
    private var backups: Int64?
    private var nextBackupLook: ReceiptSchedule.Instant?
    /// The end of the pause after an error.
    private var resumption: ReceiptSchedule.Instant?

    /// - Parameter recording: The settings of the recorder.
    init(_ recording: RecordingSettings) {
        self.recording = recording
        schedule = ReceiptSchedule(times: ReceiptSchedule.Times(interval: recording.receipts.interval))
    }

    /// The time of the next turn; nil if there is none.
    var nextTurn: ReceiptSchedule.Instant? {
        guard let due = [schedule.nextDue, nextBackupLook].compactMap({ $0 }).min() else { return nil }
        return max(due, resumption ?? due)
    }

    // MARK: - Events

    /// Begins a connection.
    mutating func connect(_ database: RecordDatabase) throws(DatabaseFailure) {
        databaseID = database.databaseID
        // First without readers: after an error the schedule must not go on with a former database.
        schedule.connect(databaseID: databaseID, readers: [], now: .now)
        let readers = try database.receiptReaders().filter { recording.fleets.contains($0.fleet) }
        schedule.connect(
            databaseID: databaseID,
            readers: readers.compactMap {
                try? DeviceAddress(root: recording.root, fleet: $0.fleet, device: $0.device)
            }, now: .now)
        if recording.receipts.requiresBackup {
            backups = try database.backupCount()
            nextBackupLook = .now + Self.backupPause
        }
    }

    /// Notes the answer to a subscription.
    mutating func subscribe(_ filter: String) {
        if recording.fleets.contains(where: { recording.receiptFilter(of: $0) == filter }) {
            schedule.subscribe(now: .now)
        }
    }

    /// Notes the end of the connection.
    mutating func disconnect() {
        schedule.disconnect()
        nextBackupLook = nil
    }

    /// Notes a message if it is a receipt of the own name.
    /// - Returns: Whether it is one.
    /// - Throws: ``DatabaseFailure/receiptsShared(path:topic:databaseID:)``
    mutating func receive(_ message: IncomingMessage) throws(DatabaseFailure) -> Bool {
        let name = recording.receipts.recorder
        guard let topic = ReceiptTopic(message.topic, root: recording.root, recorder: name) else { return false }
        guard !message.payload.isEmpty else {
            schedule.receiveDeletion(of: topic.vehicle, now: .now)
            return true
        }
        let receipt = try? Receipt(message: message.payload)
        let other = schedule.receive(receipt, of: topic.vehicle, isRetained: message.isRetained, now: .now)
        if let other {
            throw .receiptsShared(path: recording.database.description, topic: message.topic, databaseID: other)
        }
        return true
    }

    /// Notes committed messages.
    mutating func commit(_ entries: [BatchEntry]) {
        let (now, milliseconds) = (ContinuousClock.now, Timestamp.now.millisecondsSinceEpoch)
        for case .message(let message) in entries.lazy.map(\.content) {
            switch message.content {
            case .location, .timeline, .givenUp:
                schedule.store(recordOf: message.vehicle, isBacklog: message.isBacklog, now: now)
            case .reported(let report):
                schedule.store(
                    reportOf: message.vehicle, readsReceipts: report.features.contains(.receipts),
                    receipt: report.receipts?.first { $0.recorder == recording.receipts.recorder }, now: now,
                    milliseconds: milliseconds)
            case .status: break
            }
        }
    }

    // MARK: - Receipts

    /// Returns the receipts that are due now and differ from those on the broker.
    mutating func takeMessages(from database: RecordDatabase) throws(DatabaseFailure) -> [OutgoingMessage] {
        let now = ContinuousClock.now
        try lookForBackup(database, now: now)
        var messages: [OutgoingMessage] = []
        let vehicles = schedule.takeDue(now: now, limit: Self.turn)
        for vehicle in vehicles {
            let coverage: VehicleCoverage
            do throws(DatabaseFailure) {
                coverage = try database.coverage(of: vehicle)
            } catch {
                // The messages of this turn are not sent.
                schedule.repeatTurn(of: vehicles, now: now)
                throw error
            }
            let settings = recording.receipts
            let statement = coverage.receipt(
                databaseID: databaseID, revision: 0, interval: settings.interval,
                requiresBackup: settings.requiresBackup)
            let receipt = schedule.receiptToPublish(
                statement, for: vehicle, databaseRevision: coverage.revision,
                milliseconds: Timestamp.now.millisecondsSinceEpoch)
            guard let receipt, let payload = try? JSONCoder.bytes(of: receipt) else { continue }
            database.noteRevision(receipt.revision, of: vehicle)
            messages.append(
                OutgoingMessage(
                    token: UInt64(clamping: receipt.revision), topic: vehicle.receiptTopic(of: settings.recorder),
                    payload: payload, isRetained: true))
        }
        resumption = nil
        return messages
    }

    /// Postpones all receipts after an error of the database.
    mutating func postpone() { resumption = .now + Self.failurePause }

    private mutating func lookForBackup(
        _ database: RecordDatabase, now: ReceiptSchedule.Instant
    ) throws(DatabaseFailure) {
        guard let nextBackupLook, nextBackupLook <= now else { return }
        self.nextBackupLook = now + Self.backupPause
        let count = try database.backupCount()
        if count != backups { schedule.completeBackup(now: now) }
        backups = count
    }
}
