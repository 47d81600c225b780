import OdographCivilTime

/// Erases records from a recorder's database. A recorder can run meanwhile; it waits, and loses nothing.
package final class RecordEraser {
    private let connection: any RecorderConnection
    private let bytes: any DeletedByteEraser
    private let sql: ErasureSQL

    /// Opens a database.
    /// - Parameters:
    ///   - location: The place of the database, which must exist.
    ///   - lockSeconds: How long to wait for another program that has locked the database.
    package init(_ location: DatabaseLocation, lockSeconds: Double = 60) throws(DatabaseFailure) {
        switch location {
        case .file(let path):
            let connection = try SQLiteSchema.openForWriting(path, lockSeconds: lockSeconds)
            (self.connection, bytes) = (connection, try FileByteEraser(connection))
        case .server(let address):
            let connection = try PostgreSQLSchema.openForWriting(address, lockSeconds: lockSeconds)
            (self.connection, bytes) = (connection, try ServerByteEraser(connection, lockSeconds: lockSeconds))
        }
        sql = ErasureSQL(dialect: connection.dialect)
    }

    /// Erases records, and then their bytes from the files of the database.
    /// - Parameters:
    ///   - erasure: The records.
    ///   - isTrial: Whether only to count them.
    ///   - now: The time. Later records of the same vehicles are not erased, whenever they come.
    /// - Returns: The numbers of erased rows for each vehicle.
    /// - Throws: ``DatabaseFailure``. After an error of the second step the records are gone, but their bytes can be in
    ///   the files; the same call again removes them.
    package func erase(
        _ erasure: Erasure, isTrial: Bool = false, now: Timestamp = .now
    ) throws(DatabaseFailure) -> [ErasedRows] {
        var erased: [ErasedRows] = []
        try bytes.begin()
        do throws(DatabaseFailure) {
            try connection.begin()
            if let lock = connection.dialect.eraserLock { try connection.execute(lock) }
            for vehicle in try vehicles(of: erasure) { erased.append(try erase(erasure, of: vehicle, now: now)) }
            try connection.execute(isTrial ? "ROLLBACK" : "COMMIT")
        } catch {
            connection.rollBack()
            bytes.end()
            throw error
        }
        bytes.end()
        if !isTrial { try bytes.erase() }
        return erased
    }

    private func vehicles(of erasure: Erasure) throws(DatabaseFailure) -> [ArchivedVehicle] {
        switch erasure.subject {
        case .vehicle(let vehicle): return [vehicle]
        case .driver(let name):
            let driver = DriverName(name)
            let vehicles = try connection.prepare(sql.vehiclesOfDriver).rows(
                .text(name), .text(driver.text), .text(driver.member), .blob(Array(driver.text.utf8)),
                .blob(Array(driver.member.utf8))
            ) { ArchivedVehicle($0) }
            return vehicles.sorted { ($0.fleet, $0.device) < ($1.fleet, $1.device) }
        }
    }

    private func erase(
        _ erasure: Erasure, of vehicle: ArchivedVehicle, now: Timestamp
    ) throws(DatabaseFailure) -> ErasedRows {
        let key = SQLValue.integer(vehicle.key)
        let times: [SQLValue] = [key, .time(erasure.from ?? .earliest), .time(erasure.to ?? .latest)]
        let driver = erasure.driver.map { DriverName($0) }
        var erased = ErasedRows(vehicle)
        try connection.execute(ErasureSQL.beginSelection)
        if let driver {
            try run(ErasureSQL.selectDriverEvents, times + [.text(driver.name)])
        } else {
            try run(ErasureSQL.selectEvents, times)
        }
        let events = Set(try connection.prepare(ErasureSQL.selectedEvents).rows { $0.text(0) })
        if !erasure.isWholeVehicle { try selectRevisions(erasure, of: vehicle) }
        try bytes.note(times + [.optional(driver?.name), .bool(erasure.isWholeVehicle)])
        erased.positions = try run(ErasureSQL.deletePositions, times + [.optional(driver?.name)])
        erased.revisions = try run(ErasureSQL.deleteRevisions, [key])
        erased.events = try run(ErasureSQL.deleteEvents, [key])
        if erasure.isWholeVehicle { try run(ErasureSQL.deleteRest, [key]) }
        erased.conflicts = try eraseConflicts(erasure, of: vehicle, events: events)
        erased.rejected = try run(
            sql.deleteRejected,
            [
                key, driver.map { .blob(Array($0.text.utf8)) } ?? .null,
                driver.map { .blob(Array($0.member.utf8)) } ?? .null,
            ])
        try run(ErasureSQL.deleteNotifications, [key])
        try run(ErasureSQL.deleteAlerts, [key])
        if erasure.isWholeVehicle { try run(ErasureSQL.deleteEpisodes, [key]) }
        try LatestRebuilder(connection).rebuild(of: vehicle.key)
        if erasure.isWholeVehicle { try run(ErasureSQL.clearState, [key]) }
        if let driver {
            erased.hadReport = try run(sql.clearReport, [key, .text(driver.text), .text(driver.member)]) > 0
        }
        try storeErased(erasure, of: key, now: now)
        try storeLog(erasure, erased, now: now)
        return erased
    }

    /// Stores what must not come back. A driver's positions that come later are stored: nothing in the database says
    /// any more which driver was erased.
    private func storeErased(_ erasure: Erasure, of key: SQLValue, now: Timestamp) throws(DatabaseFailure) {
        guard erasure.driver == nil else {
            try run(ErasureSQL.insertEvents, [key])
            return
        }
        // The future is not erased: it has not been known.
        let (from, to) = (erasure.from ?? .earliest, min(erasure.to ?? now, now))
        guard from < to else { return }
        try run(ErasureSQL.deleteTimes, [key, .time(from), .time(to)])
        try run(ErasureSQL.insertTime, [key, .time(from), .time(to)])
    }

    /// The number of revisions that are in memory.
    private static let pageSize = 200

    /// Selects the revisions that are of the time, or of the driver, or during which there is a position of the driver.
    /// The newest
    /// revision of their event can be of another time; the event then stays.
    private func selectRevisions(_ erasure: Erasure, of vehicle: ArchivedVehicle) throws(DatabaseFailure) {
        let revisions = try connection.prepare(ErasureSQL.revisions)
        let insertion = try connection.prepare(ErasureSQL.insertRevision)
        let position = try connection.prepare(ErasureSQL.positionOfDriver)
        let times = (erasure.from ?? .earliest)..<max(erasure.from ?? .earliest, erasure.to ?? .latest)
        var last = (epoch: Int64(0), seq: Int64(0))
        while true {
            let page: [(epoch: Int64, seq: Int64, content: DatedContent?)] = try revisions.rows(
                .integer(vehicle.key), .integer(last.epoch), .integer(last.seq), .integer(Int64(Self.pageSize))
            ) { row in
                (epoch: row.integer(0), seq: row.integer(1), content: DatedContent(payload: row.text(2) ?? ""))
            }
            for revision in page {
                guard case .event(_, let start, let end, _)? = revision.content,
                    revision.content?.overlaps(times) == true
                else { continue }
                if let driver = erasure.driver, revision.content?.driver != driver {
                    let found = try position.firstInteger(
                        .integer(vehicle.key), .text(driver), .time(start), .time(end), .time(times.lowerBound),
                        .time(times.upperBound))
                    guard found != nil else { continue }
                }
                try insertion.run(.integer(revision.epoch), .integer(revision.seq))
            }
            guard page.count == Self.pageSize, let end = page.last else { return }
            last = (end.epoch, end.seq)
        }
    }

    /// Removes the conflicts whose records are erased, and those that are of the time or contain the driver themselves.
    private func eraseConflicts(
        _ erasure: Erasure, of vehicle: ArchivedVehicle, events: Set<String>
    ) throws(DatabaseFailure) -> Int {
        let times = (erasure.from ?? .earliest)..<max(erasure.from ?? .earliest, erasure.to ?? .latest)
        let driver = erasure.driver.map { DriverName($0) }
        return try ConflictRemover(connection: connection).remove(of: vehicle.key) { conflict in
            if !conflict.hasRecord { return true }
            if case .event(let id, _, _, _)? = conflict.content, events.contains(id) { return true }
            return driver?.isIn(conflict.payload) ?? (conflict.content?.overlaps(times) ?? false)
        }
    }

    private func storeLog(_ erasure: Erasure, _ erased: ErasedRows, now: Timestamp) throws(DatabaseFailure) {
        try run(
            ErasureSQL.insertErasure,
            [
                .time(now), .text(erased.vehicle.fleet), .text(erased.vehicle.device), .bool(erasure.driver != nil),
                .optional(erasure.from), .optional(erasure.to), .integer(Int64(erased.positions)),
                .integer(Int64(erased.revisions)), .integer(Int64(erased.events)), .integer(Int64(erased.conflicts)),
                .integer(Int64(erased.rejected)),
            ])
    }

    @discardableResult
    private func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseFailure) -> Int {
        try connection.prepare(sql).run(values)
    }
}
