import OdographCivilTime
import OdographJSON
import OdographWire

/// The table `vehicles`.
final class VehicleTable {
    /// More keys than any fleet has vehicles. The memory stays bounded if a client invents names.
    private static let maximumKeys = 100_000

    private let insertion: any RecorderStatement
    private let selection: any RecorderStatement
    private let touching: any RecorderRowStatement
    private let statusUpdate: any RecorderStatement
    private let reportUpdate: any RecorderStatement
    private let revisionUpdate: any RecorderStatement
    private let refusal: any RecorderStatement
    private let receiptFacts: any RecorderStatement
    private let readers: any RecorderStatement
    private var keys: [DeviceAddress: Int64] = [:]

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        insertion = try connection.prepare(
            "INSERT INTO vehicles (fleet, device, first_seen, last_seen) VALUES (?1, ?2, ?3, ?3) ON CONFLICT DO NOTHING"
        )
        selection = try connection.prepare("SELECT id FROM vehicles WHERE fleet = ?1 AND device = ?2")
        touching = try connection.prepare(
            RowStatement(
                columns: [.integer("vehicle"), .time("seen")],
                sql: "UPDATE vehicles SET last_seen = new.seen FROM new WHERE vehicles.id = new.vehicle"))
        // An offline of an earlier connection than the known one is late.
        statusUpdate = try connection.prepare(
            """
            UPDATE vehicles SET state = ?2, state_reason = ?3, state_time = ?4, connection = ?5, problems = ?6,
                agent_version = ?7, status = ?8, queue_depth = coalesce(?9, queue_depth)
            WHERE id = ?1 AND NOT (?2 = 'offline' AND coalesce(connection, 0) > ?5)
            """)
        // A report without a configuration has the configuration of the report before it.
        reportUpdate = try connection.prepare(
            """
            UPDATE vehicles SET agent_version = ?2, queue_depth = ?3, report_time = ?4, reported = ?5,
                time_zone = ?7, reads_receipts = ?8,
                heartbeat_interval = CASE WHEN ?6 THEN ?9 ELSE heartbeat_interval END
            WHERE id = ?1
            """)
        revisionUpdate = try connection.prepare(
            """
            UPDATE vehicles SET receipt_revision = ?3
            WHERE fleet = ?1 AND device = ?2 AND receipt_revision < ?3
            """)
        refusal = try connection.prepare(
            "UPDATE vehicles SET refused = refused + ?3, refused_time = ?4 WHERE fleet = ?1 AND device = ?2")
        receiptFacts = try connection.prepare(
            "SELECT id, conflicts, receipt_revision FROM vehicles WHERE fleet = ?1 AND device = ?2")
        readers = try connection.prepare("SELECT fleet, device FROM vehicles WHERE reads_receipts = 1")
    }

    /// Returns the key of a vehicle, which gets a row if it is new.
    func key(of vehicle: DeviceAddress, seen: Timestamp) throws(DatabaseFailure) -> Int64 {
        if let key = keys[vehicle] { return key }
        if keys.count >= Self.maximumKeys { keys.removeAll() }
        try insertion.run(.text(vehicle.fleet), .text(vehicle.device), .time(seen))
        guard let key = try selection.firstInteger(.text(vehicle.fleet), .text(vehicle.device)) else {
            throw .failed(path: selection.databaseName, operation: "adding a vehicle", detail: "the row is missing")
        }
        keys[vehicle] = key
        return key
    }

    /// Returns the key of a vehicle; nil if it has no row.
    func existingKey(of vehicle: DeviceAddress) throws(DatabaseFailure) -> Int64? {
        if let key = keys[vehicle] { return key }
        return try selection.firstInteger(.text(vehicle.fleet), .text(vehicle.device))
    }

    /// Forgets the keys, which a rolled back transaction may have assigned.
    func forgetKeys() { keys.removeAll() }

    /// Sets when the newest messages of vehicles were received.
    func touch(_ times: [Int64: Timestamp]) throws(DatabaseFailure) {
        try touching.run(times.map { [.integer($0), .time($1)] })
    }

    /// Stores a status, unless it is late.
    func update(_ vehicle: Int64, _ status: StatusMessage, payload: String) throws(DatabaseFailure) {
        let problems = status.problems.flatMap { try? JSONCoder.bytes(of: $0) }
        try statusUpdate.run(
            .integer(vehicle), .text(status.state.rawValue), .text(status.reason.rawValue), .time(status.timestamp),
            .integer(status.connection), .optional(problems.map { String(decoding: $0, as: UTF8.self) }),
            .text(status.version), .text(payload), status.queue.map { .integer(Int64($0.depth)) } ?? .null)
    }

    /// Stores a report.
    func update(_ vehicle: Int64, _ report: ReportedMessage, payload: String) throws(DatabaseFailure) {
        try reportUpdate.run(
            .integer(vehicle), .text(report.agentVersion), .integer(Int64(report.queue.depth)),
            .time(report.timestamp), .text(payload), .bool(report.configuration != nil),
            .optional(report.timeZone), .bool(report.features.contains(.receipts)),
            .optional(report.heartbeatSeconds))
    }

    /// Stores the revision of a published receipt.
    func update(_ vehicle: DeviceAddress, revision: Int64) throws(DatabaseFailure) {
        try revisionUpdate.run(.text(vehicle.fleet), .text(vehicle.device), .integer(revision))
    }

    /// Adds a number of refused messages to that of a vehicle, if it has a row.
    func add(refused count: Int, of vehicle: DeviceAddress, at time: Timestamp) throws(DatabaseFailure) {
        try refusal.run(.text(vehicle.fleet), .text(vehicle.device), .integer(Int64(count)), .time(time))
    }

    /// Returns the key of a vehicle, the count of its conflicts, and the revision of its newest known receipt. Nil for
    /// a vehicle without a row.
    func receiptFacts(
        of vehicle: DeviceAddress
    ) throws(DatabaseFailure) -> (key: Int64, conflicts: Int, revision: Int64)? {
        try receiptFacts.first(.text(vehicle.fleet), .text(vehicle.device)) { row in
            (key: row.integer(0), conflicts: Int(row.integer(1)), revision: row.integer(2))
        }
    }

    /// Returns the fleets and names of the vehicles that read receipts.
    func receiptReaders() throws(DatabaseFailure) -> [(fleet: String, device: String)] {
        try readers.rows { row -> (fleet: String, device: String)? in
            guard let fleet = row.text(0), let device = row.text(1) else { return nil }
            return (fleet: fleet, device: device)
        }
    }
}
