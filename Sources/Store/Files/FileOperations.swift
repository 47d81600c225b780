/// The operations on files and folders that the store performs without SQLite.
///
/// The product has one implementation, ``SystemFileOperations``. A test replaces it, together with SQLite's VFS, to
/// observe all disk operations of the store.
protocol FileOperations: Sendable {
    /// The identifier of the system's current boot; nil if unknown. Data written since that boot can be read, even if
    /// it has not reached the disk.
    var bootID: UInt64? { get }

    /// Returns whether a path exists; a symbolic link counts even if its target is missing.
    func exists(_ path: String) -> Bool

    /// Returns the status of the file at a path. Nil if there is none.
    func status(of path: String) -> FileStatus?

    /// Returns whether the mode of a file permits this user to read and write it. False only for a refusal by the mode.
    func isAccessible(_ path: String) -> Bool

    /// Returns the names in a folder. Empty if it cannot be read.
    func names(in folder: String) -> [String]

    /// Creates a folder that the owner may write and the group may read.
    func makeFolder(_ path: String) throws(SystemError)

    /// Creates an empty file that only the owner may read and write.
    func makeFile(_ path: String) throws(SystemError)

    /// Reads a whole file.
    func read(_ path: String) throws(SystemError) -> [UInt8]

    /// Writes into an existing file, without waiting for the disk.
    func write(_ bytes: [UInt8], to path: String, at offset: Int) throws(SystemError)

    /// Grows an existing file with zeros, waits for the disk, and drops its pages from the system's cache.
    func grow(_ path: String, toBytes wanted: Int) throws(SystemError)

    /// Waits until the disk has a file's content or a folder's entries.
    func synchronize(_ path: String) throws(SystemError)

    /// Renames a file and replaces a file with the new name.
    func rename(_ path: String, to other: String) throws(SystemError)

    /// Deletes a file.
    func remove(_ path: String) throws(SystemError)
}

/// The status of a file.
struct FileStatus: Hashable, Sendable {
    /// The size in bytes.
    var size: Int
    /// The device that the file is on.
    var device: UInt64
    /// The inode number on the device. It does not change with the file's name.
    var inode: UInt64
}

/// The `errno` of a failed system call.
struct SystemError: Error, Hashable {
    var code: Int32
}
