import OdographCivilTime
import OdographWire

/// Stores imported positions in `records`. They have no part in `runs` and `covered`: gaps, receipts and the proof that
/// nothing was lost are about the numbers of agents.
final class ImportTable {
    private let connection: any RecorderConnection
    private let vehicles: VehicleTable
    private let erased: ErasedTable
    private let latest: LatestTable
    private let rebuilder: LatestRebuilder
    private let partitions: RecordPartitions?
    private let insertion: any RecorderRowStatement
    private let deletion: any RecorderRowStatement

    private static let columns: [RowStatement.Column] = [
        .integer("vehicle"), .integer("epoch"), .integer("seq"), .text("kind"), .time("received"), .text("payload"),
        .time("time"), .integer("clock_untrusted"), .integer("mock"), .real("latitude"), .real("longitude"),
        .real("accuracy"), .real("altitude"), .real("speed"), .real("heading"), .integer("is_moving"),
    ]

    /// Opens a database beside its recorder.
    init(_ location: DatabaseLocation) throws(DatabaseFailure) {
        connection = try location.openForWriting(lockSeconds: 60)
        if connection.dialect == .sqlite {
            try connection.execute("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        }
        vehicles = try VehicleTable(connection)
        erased = try ErasedTable(connection)
        latest = try LatestTable(connection)
        rebuilder = try LatestRebuilder(connection)
        partitions = connection.dialect == .postgreSQL ? try RecordPartitions(connection) : nil
        insertion = try connection.prepare(
            RowStatement(
                columns: Self.columns,
                sql: """
                    INSERT INTO records (\(RowStatement.names(Self.columns)))
                    SELECT \(RowStatement.values(Self.columns)) FROM new
                    WHERE true ON CONFLICT DO NOTHING RETURNING seq
                    """))
        deletion = try connection.prepare(
            RowStatement(
                columns: [.integer("vehicle"), .integer("epoch"), .integer("seq"), .time("time")],
                sql: """
                    DELETE FROM records USING new
                    WHERE records.vehicle = new.vehicle AND records.epoch = new.epoch AND records.seq = new.seq
                        AND records.time = new.time RETURNING records.seq
                    """))
    }

    /// Stores positions in one transaction.
    /// - Parameters:
    ///   - positions: The positions.
    ///   - format: The format of their file.
    ///   - vehicle: The vehicle, which gets a row if it is new.
    ///   - now: The time.
    func insert(
        _ positions: [ImportedPosition], _ format: ImportFormat, of vehicle: DeviceAddress, at now: Timestamp
    ) throws -> ImportCounts {
        guard let newest = positions.map(\.time).max() else { return ImportCounts() }
        let payloads = try positions.map { try $0.payload(device: vehicle.device, format: format) }
        return try store(Array(zip(positions, payloads)), of: vehicle, newest: newest, at: now)
    }

    /// Removes positions that an import has stored, in one transaction. They can be imported again.
    /// - Returns: The counts of the removed ones and of those that are not there.
    func remove(_ positions: [ImportedPosition], of vehicle: DeviceAddress) throws(DatabaseFailure) -> ImportCounts {
        do throws(DatabaseFailure) {
            return try connection.transaction { () throws(DatabaseFailure) in
                if let lock = connection.dialect.eraserLock { try connection.execute(lock) }
                guard let key = try vehicles.existingKey(of: vehicle) else {
                    return ImportCounts(absent: positions.count)
                }
                var removed = 0
                try deletion.forEach(
                    positions.map {
                        [.integer(key), .integer(RecordTable.importedEpoch), .integer($0.seq), .time($0.time)]
                    }
                ) { _ throws(DatabaseFailure) in removed += 1 }
                if removed > 0 { try rebuilder.rebuild(of: key) }
                return ImportCounts(removed: removed, absent: positions.count - removed)
            }
        } catch {
            vehicles.forgetKeys()
            throw error
        }
    }

    private func store(
        _ rows: [(position: ImportedPosition, payload: String)], of vehicle: DeviceAddress, newest: Timestamp,
        at now: Timestamp
    ) throws(DatabaseFailure) -> ImportCounts {
        do throws(DatabaseFailure) {
            return try connection.transaction { () throws(DatabaseFailure) in
                // A recorder makes partitions, too.
                if let lock = connection.dialect.eraserLock { try connection.execute(lock) }
                try erased.refresh()
                // A new vehicle was seen when it was there: a rule is not to miss it.
                let key = try vehicles.key(of: vehicle, seen: newest)
                let allowed = rows.filter { !erased.contains(.position($0.position.time), of: key) }
                try partitions?.make(for: allowed.map { ($0.position.time, now) })
                let stored = try insert(allowed, of: key, at: now)
                var counts = ImportCounts(stored: stored.count, erased: rows.count - allowed.count)
                counts.known = allowed.count - stored.count
                if let last = allowed.map(\.position).filter({ stored.contains($0.seq) }).max(by: { $0.seq < $1.seq }) {
                    try latest.update([
                        LatestTable.Entry(
                            vehicle: key, kind: UplinkChannel.location,
                            number: RecordKey(epoch: RecordTable.importedEpoch, seq: last.seq), time: last.time)
                    ])
                }
                return counts
            }
        } catch {
            vehicles.forgetKeys()
            partitions?.forget()
            throw error
        }
    }

    private func insert(
        _ rows: [(position: ImportedPosition, payload: String)], of vehicle: Int64, at now: Timestamp
    ) throws(DatabaseFailure) -> Set<Int64> {
        var stored: Set<Int64> = []
        let values = rows.map { position, payload in
            let number: [SQLValue] = [.integer(vehicle), .integer(RecordTable.importedEpoch), .integer(position.seq)]
            let message: [SQLValue] = [
                .text(UplinkChannel.location.rawValue), .time(now), .text(payload), .time(position.time),
                .bool(false), .bool(position.isMock),
            ]
            return number + message + [
                .real(position.latitude), .real(position.longitude), .optional(position.accuracy),
                .optional(position.altitude), .optional(position.speed), .optional(position.heading),
                position.speed.map { .bool($0 > 0) } ?? .null,
            ]
        }
        try insertion.forEach(values) { row throws(DatabaseFailure) in stored.insert(row.integer(0)) }
        return stored
    }
}
