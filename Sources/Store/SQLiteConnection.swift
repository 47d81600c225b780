import OdographSQLite

/// The sole owner of an SQLite handle, with the errors of the store.
typealias SQLiteConnection = Connection<StoreError>

extension SQLiteConnection {
    /// The size of a database page, in bytes: the unit of writing for a small commit. Measured: each row writes 5 kB to
    /// the device, a fifth of the amount with pages of 4096 bytes.
    static var pageBytes: Int { 1024 }

    /// The names of the checksum columns.
    struct ChecksumColumns {
        /// Whether the columns exist. A database of an earlier version, which only ``Salvage`` reads, has none.
        fileprivate let exist: Bool
        /// The expression to select for the checksum of a row.
        var ofRows: String { exist ? "checksum" : "x''" }
        /// The expression to select for the checksum of the inputs in a row of `outbox`.
        var ofInputs: String { exist ? "inputs_checksum" : "x''" }
    }

    /// Returns the names of the checksum columns in this database.
    borrowing func checksumColumns() -> ChecksumColumns {
        let found = try? firstInteger("SELECT 1 FROM pragma_table_info('outbox') WHERE name = 'checksum'")
        return ChecksumColumns(exist: found == 1)
    }

    /// Compiles a statement that writes a checksum. In a database without checksums, the statement has no effect.
    borrowing func prepareChecksummedWrite(_ sql: String, _ columns: ChecksumColumns) throws(StoreError)
        -> SQLiteStatement
    {
        try prepare(columns.exist ? sql : "SELECT 1")
    }
}
