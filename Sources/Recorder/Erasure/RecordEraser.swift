import Odograph
import OdographCivilTime
import OdographWire

/// Erases records from a recorder's database in a file of SQLite. A recorder can run meanwhile; it waits, and loses
/// nothing.
package final class RecordEraser {
    private let connection: SQLiteRecorderConnection
    private let path: String

    /// Opens a database.
    /// - Parameters:
    ///   - path: The file, which must exist.
    ///   - lockSeconds: How long to wait for another program that has locked the database.
    package init(path: String, lockSeconds: Double = 60) throws(DatabaseFailure) {
        connection = try RecorderSchema.openForWriting(path, lockSeconds: lockSeconds)
        self.path = path
        // Deleted bytes are overwritten, and no temporary file gets a copy.
        try connection.execute(
            """
            PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;
            PRAGMA trusted_schema = OFF
            """)
    }

    /// Erases records, and then their bytes from the file.
    /// - Parameters:
    ///   - erasure: The records.
    ///   - isTrial: Whether only to count them.
    /// - Returns: The numbers of erased rows for each vehicle.
    /// - Throws: ``DatabaseFailure``. After an error of the second step the records are gone, but their bytes can be in
    ///   the file; the same call again removes them.
    package func erase(_ erasure: Erasure, isTrial: Bool = false) throws(DatabaseFailure) -> [ErasedRows] {
        var erased: [ErasedRows] = []
        try connection.begin()
        do throws(DatabaseFailure) {
            for vehicle in try vehicles(of: erasure) { erased.append(try erase(erasure, of: vehicle)) }
            try connection.execute(isTrial ? "ROLLBACK" : "COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
        if !isTrial { try eraseBytes() }
        return erased
    }

    private func vehicles(of erasure: Erasure) throws(DatabaseFailure) -> [ArchivedVehicle] {
        switch erasure.subject {
        case .vehicle(let vehicle): return [vehicle]
        case .driver(let name):
            var vehicles: [ArchivedVehicle] = []
            try connection.prepare(ErasureSQL.vehiclesOfDriver).forEach(.text(name)) { row throws(DatabaseFailure) in
                vehicles.append(ArchivedVehicle(row))
                return true
            }
            return vehicles
        }
    }

    private func erase(_ erasure: Erasure, of vehicle: ArchivedVehicle) throws(DatabaseFailure) -> ErasedRows {
        let values: [SQLValue] = [
            .integer(vehicle.key), .time(erasure.from ?? .earliest), .time(erasure.to ?? .latest),
            .optional(erasure.driver),
        ]
        var erased = ErasedRows(vehicle)
        try connection.execute(ErasureSQL.beginEvents)
        try run(erasure.driver == nil ? ErasureSQL.selectEvents : ErasureSQL.selectDriverEvents, values)
        erased.positions = try run(ErasureSQL.deletePositions, values)
        erased.revisions = try run(ErasureSQL.deleteRevisions, values)
        erased.events = try run(ErasureSQL.deleteEvents, values)
        if erasure.isWholeVehicle { try run(ErasureSQL.deleteRest, [.integer(vehicle.key)]) }
        erased.conflicts = try run(ErasureSQL.deleteConflicts, values)
        erased.rejected = try run(ErasureSQL.deleteRejected, values)
        try run(ErasureSQL.deleteNotifications, [.integer(vehicle.key)])
        if erasure.isWholeVehicle { try run(ErasureSQL.deleteEpisodes, [.integer(vehicle.key)]) }
        try run(ErasureSQL.deleteLatest, values)
        for kind in UplinkChannel.allCases {
            try run(ErasureSQL.insertLatest, [.integer(vehicle.key), .text(kind.rawValue)])
        }
        if erasure.isWholeVehicle { try run(ErasureSQL.clearState, values) }
        if erasure.driver != nil { try run(ErasureSQL.clearReport, values) }
        try run(
            ErasureSQL.insertErasure,
            [
                .time(.now), .text(vehicle.fleet), .text(vehicle.device), .bool(erasure.driver != nil),
                .optional(erasure.from), .optional(erasure.to), .integer(Int64(erased.positions)),
                .integer(Int64(erased.revisions)), .integer(Int64(erased.events)), .integer(Int64(erased.conflicts)),
                .integer(Int64(erased.rejected)),
            ])
        return erased
    }

    @discardableResult
    private func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseFailure) -> Int {
        try connection.prepare(sql).run(values)
    }

    /// Removes the bytes of deleted rows. The erasure has overwritten its rows, but not what was deleted before without
    /// `secure_delete`: only a new file is without it. The write-ahead log has the pages as they were.
    private func eraseBytes() throws(DatabaseFailure) {
        try connection.execute("VACUUM")
        guard try connection.firstInteger("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else { throw .locked(path: path) }
    }
}
