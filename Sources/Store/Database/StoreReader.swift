import OdographCivilTime
import OdographSQLite
import OdographWire

/// The content of a database at one moment, for queries while no agent has it open.
///
/// The file is copied, see ``DatabaseCopy``. The database itself is not written, locked or repaired.
package actor StoreReader {
    private var database: Database

    /// Reads a database.
    ///
    /// - Parameters:
    ///   - path: The file; if it is missing, the completed copy that a killed agent did not rename yet.
    ///   - options: The agent's options.
    /// - Throws: `inUse` if an agent has it open; `damaged`, `otherSchema`, `noPermission`, `noRoomForCopy`; `failed`
    ///   for a disk error.
    package static func open(
        at path: String, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) -> StoreReader {
        do {
            return StoreReader(try copy(of: path, options: options))
        } catch {
            // SQLite would report the path of the copy.
            throw error.withPath(path)
        }
    }

    /// Returns whether a process has a database open as its store.
    ///
    /// - Throws: `noPermission` if this user may not read it; `failed` if there is no file.
    package static func isInUse(_ path: String) throws(StoreError) -> Bool { try DatabaseCopy.isInUse(path) }

    /// Returns whether there is a database to read.
    package static func exists(at path: String, options: StoreOptions = StoreOptions()) -> Bool {
        DatabaseOpener.hasDatabase(at: path, on: options.files)
    }

    private init(_ database: consuming Database) {
        self.database = database
    }

    private static func copy(of path: String, options: StoreOptions) throws(StoreError) -> Database {
        let unfinished = DatabaseOpener.unfinishedPath(of: path)
        let files = options.files.operations
        let isFinished = files.exists(path) || !files.exists(unfinished)
        let copy = try DatabaseCopy.make(of: isFinished ? path : unfinished)
        let connection = try SQLiteConnection(path: copy.path)
        try connection.execute(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
        if options.files.size(of: copy.path) > 0 {
            try connection.checkIntegrity(path: path)
            try connection.checkOwnership(path: path)
        }
        if try !StoreSchema.isPresent(in: connection, path: path) { try StoreSchema.create(in: connection) }
        return try Database.wrapping(
            connection, path: path, options: options, initialEpochIdentity: EpochIdentity(epoch: 1, seed: .random()),
            now: Timestamp(millisecondsSinceEpoch: 0))
    }

    /// Returns the contents, see ``AgentStore/contents()``.
    package func contents() throws(StoreError) -> StoreContents { try database.contents() }

    /// Returns the statistics, see ``AgentStore/statistics()``.
    package func statistics() throws(StoreError) -> StoreStatistics { try database.statistics() }

    /// Returns locations, see ``AgentStore/locations(from:to:limit:)``.
    package func locations(from: Timestamp, to: Timestamp, limit: Int) throws(StoreError) -> [[UInt8]] {
        try database.locations(from: from, to: to, limit: limit)
    }

    /// Returns timeline events, see ``AgentStore/timelineEvents(from:to:limit:maximumBytes:)``.
    package func timelineEvents(from: Timestamp, to: Timestamp) throws(StoreError) -> TimelinePage {
        try database.timeline.events(
            from: from, to: to, limit: .max, maximumBytes: .max, totals: database.counters.timeline)
    }

    /// Returns timeline updates, see ``AgentStore/timelineUpdates(after:limit:maximumBytes:)``.
    package func timelineUpdates(after: Timestamp) throws(StoreError) -> TimelinePage {
        try database.timeline.updates(after: after, limit: .max, maximumBytes: .max)
    }
}
