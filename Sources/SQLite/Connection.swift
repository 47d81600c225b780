import COdographSQLite

/// The sole owner of an SQLite handle. `Failure` is the error type of the program.
package struct Connection<Failure: SQLiteFailureConvertible>: ~Copyable {
    private let handle: OpaquePointer

    /// Opens a file, or creates it.
    ///
    /// - Parameters:
    ///   - path: The file; `:memory:` for a database in memory.
    ///   - vfs: The name of the VFS. Nil for SQLite's default.
    ///   - isReadOnly: Whether to open for reading only.
    package init(path: String, vfs: String? = nil, isReadOnly: Bool = false) throws(Failure) {
        var opened: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(
            path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI, vfs)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close_v2(opened) }
            let systemError = opened == nil ? 0 : sqlite3_system_errno(opened)
            throw Failure(
                SQLiteFailure(
                    path: path, operation: "opening", code: code, message: String(cString: sqlite3_errstr(code)),
                    systemError: systemError))
        }
        handle = opened
    }

    // The function with `_v2` waits for statements that are finalized later.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that have no parameters and no result.
    package borrowing func execute(_ sql: String) throws(Failure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, doing: sql) }
    }

    /// Compiles a statement.
    package borrowing func prepare(_ sql: String) throws(Failure) -> Statement<Failure> {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code, doing: sql) }
        return Statement(owning: prepared)
    }

    /// Returns the first integer in the result of a statement. Nil if there is none.
    package borrowing func firstInteger(_ sql: String) throws(Failure) -> Int64? {
        let statement = try prepare(sql)
        return try statement.firstInteger()
    }

    /// Sets how long to wait for another process that has the database open.
    package borrowing func setBusyTimeout(milliseconds: Int) {
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
    }

    /// Rolls back the open transaction, if there is one. SQLite may have rolled it back already.
    package borrowing func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        }
    }

    /// Keeps the write-ahead log file and its size when the last connection closes.
    package borrowing func persistWriteAheadLog() {
        var isOn: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }

    /// Sets whether closing copies the write-ahead log into the file, which is safe only once the log is verified.
    package borrowing func setCheckpointOnClose(_ isOn: Bool) {
        odograph_sqlite_checkpoint_on_close(handle, isOn ? 1 : 0)
    }

    /// Writes a complete copy of the database into an empty file.
    package borrowing func copy(to path: String) throws(Failure) {
        try prepare("VACUUM INTO ?1").run(.text(path))
    }

    private borrowing func error(_ code: Int32, doing operation: String) -> Failure {
        Failure(SQLiteFailure(of: handle, code: code, doing: operation))
    }
}
