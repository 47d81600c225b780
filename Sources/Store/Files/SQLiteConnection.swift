import OdographSQLite

/// The sole owner of an SQLite handle, with the errors of the store.
typealias SQLiteConnection = Connection<StoreError>

extension SQLiteConnection {
    /// The size of a database page, in bytes: the unit of writing for a small commit. Measured: each row writes 5 kB to
    /// the device, a fifth of the amount with pages of 4096 bytes.
    static var pageBytes: Int { 1024 }
}
