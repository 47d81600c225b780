import CSQLite
import Glibc

/// The one owner of an SQLite handle.
struct SQLiteConnection: ~Copyable {
    /// The size of a database page, in bytes: what one small commit writes. Measured: 5 kB reach the device a row, a
    /// fifth of what 4096 bytes a page cost.
    static let pageBytes = 1024

    private let handle: OpaquePointer

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file; `:memory:` for none.
    ///   - vfs: The name of the VFS that reaches it. Nil for the one that SQLite uses by itself.
    ///   - isReadOnly: Whether to open for reading only.
    init(path: String, vfs: String? = nil, isReadOnly: Bool = false) throws(StoreError) {
        var opened: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(
            path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI, vfs)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close_v2(opened) }
            let message = String(cString: sqlite3_errstr(code))
            let systemError = opened == nil ? 0 : sqlite3_system_errno(opened)
            throw StoreError(path: path, operation: "opening", code: code, message: message, systemError: systemError)
        }
        handle = opened
    }

    // The _v2 waits for statements that are finalized later.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without parameters and answers.
    borrowing func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, doing: sql) }
    }

    /// Compiles a statement.
    borrowing func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code, doing: sql) }
        return SQLiteStatement(owning: prepared)
    }

    /// Where a database has the checksums of its rows.
    struct ChecksumColumns {
        /// Whether there are any: not in a database of an earlier version, of which only ``Salvage`` reads.
        fileprivate let exist: Bool
        /// What to select for the checksum of a row.
        var ofRows: String { exist ? "checksum" : "x''" }
        /// What to select for the checksum of the inputs in a row of `outbox`.
        var ofInputs: String { exist ? "inputs_checksum" : "x''" }
    }

    /// Returns where this database has the checksums of its rows.
    borrowing func checksumColumns() -> ChecksumColumns {
        let found = try? firstInteger("SELECT 1 FROM pragma_table_info('outbox') WHERE name = 'checksum'")
        return ChecksumColumns(exist: found == 1)
    }

    /// Compiles a statement that writes a checksum. In a database that has none, it does nothing.
    borrowing func prepareChecksummedWrite(_ sql: String, _ columns: ChecksumColumns) throws(StoreError)
        -> SQLiteStatement
    {
        try prepare(columns.exist ? sql : "SELECT 1")
    }

    /// The number that a statement answers. Nil where it answers none.
    borrowing func firstInteger(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.firstInteger()
    }

    /// How long another process that has the database is waited for.
    borrowing func setBusyTimeout(milliseconds: Int) {
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
    }

    /// Undoes the open transaction, if there is one; SQLite undoes some by itself.
    borrowing func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        }
    }

    /// Keeps the write-ahead log file, at its size, when the last connection closes.
    borrowing func persistWriteAheadLog() {
        var isOn: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }

    /// Whether closing copies the write-ahead log into the file: not before it is known to be whole and its own.
    borrowing func setCheckpointOnClose(_ isOn: Bool) { odograph_sqlite_checkpoint_on_close(handle, isOn ? 1 : 0) }

    /// Writes a complete copy of the database into a file that is empty.
    borrowing func copy(to path: String) throws(StoreError) {
        try prepare("VACUUM INTO ?1").run(.text(path))
    }

    /// Takes the content of a database into a connection in memory, which frees the bytes when it closes.
    borrowing func deserialize(_ bytes: UnsafeMutableRawBufferPointer) throws(StoreError) {
        let code = sqlite3_deserialize(
            handle, "main", bytes.bindMemory(to: UInt8.self).baseAddress, Int64(bytes.count), Int64(bytes.count),
            UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
        guard code == SQLITE_OK else { throw error(code, doing: "reading the copy") }
    }

    private borrowing func error(_ code: Int32, doing operation: String) -> StoreError {
        StoreError(of: handle, code: code, doing: String(operation.prefix(60)))
    }
}
