/// The operations on files and folders that the store does itself, without SQLite.
///
/// The product has one implementation, ``SystemFileOperations``. A test replaces it, together with SQLite's VFS, so
/// that it sees everything that the store does to a disk.
protocol FileOperations: Sendable {
    /// Identifies the time since the system was started. What a process wrote in this time can be read, whether it
    /// reached the disk or not. Nil where the system does not say.
    var bootID: UInt64? { get }

    /// Returns whether something has this name; a symbolic link counts, wherever it leads.
    func exists(_ path: String) -> Bool

    /// Returns what is known of the file behind a name. Nil where there is none.
    func status(of path: String) -> FileStatus?

    /// Returns whether the mode of a file lets this user read and write it.
    func isAccessible(_ path: String) -> Bool

    /// Returns the names in a folder. Empty where it cannot be read.
    func names(in folder: String) -> [String]

    /// Makes a folder that the owner may write and the group may read.
    func makeFolder(_ path: String) throws(SystemError)

    /// Makes an empty file that only the owner may read and write.
    func makeFile(_ path: String) throws(SystemError)

    /// Reads a whole file.
    func read(_ path: String) throws(SystemError) -> [UInt8]

    /// Writes into a file that exists, without waiting for the disk.
    func write(_ bytes: [UInt8], to path: String, at offset: Int) throws(SystemError)

    /// Grows a file that exists with zeros, waits for the disk, and lets go of what the system has cached of it.
    func grow(_ path: String, toBytes wanted: Int) throws(SystemError)

    /// Waits until the disk has a file's content, or a folder's names.
    func synchronize(_ path: String) throws(SystemError)

    /// Gives a file another name, in place of a file that has it.
    func rename(_ path: String, to other: String) throws(SystemError)

    /// Removes a file's name.
    func remove(_ path: String) throws(SystemError)
}

/// What is known of a file.
struct FileStatus: Hashable, Sendable {
    /// The size in bytes.
    var size: Int
    /// The device that the file is on.
    var device: UInt64
    /// The file's number on its device. A file that takes another's name has another number.
    var inode: UInt64
}

/// A failed call of the system: its `errno`.
struct SystemError: Error, Hashable {
    var code: Int32
}
