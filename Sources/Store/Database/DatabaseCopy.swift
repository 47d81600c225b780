import Glibc
import OdographSQLite

/// A copy of a database with its write-ahead log, in a folder that only this user can read. SQLite recovers the log
/// there, as after a power cut.
///
/// Copying takes no lock on the database and writes nothing beside it, so it cannot block an agent that starts. It
/// verifies that no agent has written meanwhile: before and after, no process holds the database's lock, and the log
/// is the same. Then each page of the file that changed meanwhile is in the log, and the log's copy is used.
///
/// The folder is removed with this value. A connection that is open by then keeps the content.
struct DatabaseCopy: ~Copyable {
    /// The bytes that SQLite locks while a file is open (`SHARED_FIRST` and `SHARED_SIZE` in SQLite's `os.h`).
    private static let lockedBytes: (start: Int, count: Int) = (0x4000_0002, 510)
    /// `F_OFD_GETLK` of fcntl(2), which Swift does not import: it returns a conflicting lock, also of this process.
    private static let getLock: Int32 = 36
    /// The number of attempts to read a file that changes meanwhile.
    private static let attempts = 20
    /// The size of a piece that is read and written at a time, bytes.
    private static let pieceBytes = 1 << 20

    /// The path of the copy.
    let path: String
    private let folder: String

    deinit {
        for name in [path, path + "-wal", path + "-journal"] { unlink(name) }
        rmdir(folder)
    }

    /// The folder for temporary files.
    static var temporaryFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp" }

    /// Copies a database.
    ///
    /// - Parameters:
    ///   - original: The path of the database.
    ///   - place: The folder in which the folder of the copy is made.
    ///   - available: The bytes that are free there; nil asks the system.
    /// - Throws: `inUse` if an agent has it open; `noPermission`; `noRoomForCopy`; `failed` if the disk cannot read it.
    static func make(
        of original: String, in place: String = temporaryFolder, available: UInt64? = nil
    ) throws(StoreError) -> DatabaseCopy {
        var template = Array("\(place)/odograph-XXXXXX".utf8CString)
        // mkdtemp makes a folder of mode 0700.
        guard mkdtemp(&template) != nil else {
            throw .unusable(path: place, reason: "no copy can be made there: \(String(cString: strerror(errno)))")
        }
        let folder = template.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) }
        let copy = DatabaseCopy(folder: folder ?? "")
        try copy.fill(from: original, available: available ?? availableBytes(in: place), in: place)
        return copy
    }

    private init(folder: String) {
        self.folder = folder
        path = folder + "/agent.db"
    }

    private borrowing func fill(
        from original: String, available: UInt64?, in place: String
    ) throws(StoreError) {
        for attempt in 0..<Self.attempts {
            if attempt > 0 { usleep(50_000) }
            let file = try OpenFile(original)
            try file.checkUnused()
            let log = try Self.logBytes(original)
            // SQLite copies the log into the file when it recovers it.
            let needed = file.size + 2 * log.count
            if let available, available < UInt64(needed) {
                throw .noRoomForCopy(path: original, folder: place, bytes: needed)
            }
            try copy(file)
            try file.checkUnused()
            let logAfter = try Self.logBytes(original)
            guard file.isStillAtPath(), log == logAfter else { continue }
            if !log.isEmpty {
                try Self.writing(path + "-wal") { files, path throws(SystemError) in
                    try files.makeFile(path)
                    try files.write(log, to: path, at: 0)
                }
            }
            return
        }
        throw .inUse(path: original)
    }

    /// Copies the content of a file. The copy of an earlier attempt is replaced.
    private borrowing func copy(_ file: borrowing OpenFile) throws(StoreError) {
        unlink(path)
        try Self.writing(path) { files, path throws(SystemError) in try files.makeFile(path) }
        var position = 0
        while case let piece = try file.bytes(Self.pieceBytes, at: position), !piece.isEmpty {
            try Self.writing(path) { files, path throws(SystemError) in
                try files.write(piece, to: path, at: position)
            }
            position += piece.count
        }
    }

    private static func availableBytes(in place: String) -> UInt64? {
        var information = statvfs()
        guard statvfs(place, &information) == 0 else { return nil }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }

    /// Returns whether a process has the database open as its store.
    ///
    /// - Throws: `noPermission` if this user may not read it; `failed` if there is no such file.
    static func isInUse(_ path: String) throws(StoreError) -> Bool {
        try OpenFile(path).isLocked()
    }

    private static func logBytes(_ path: String) throws(StoreError) -> [UInt8] {
        guard access(path + "-wal", F_OK) == 0 else { return [] }
        let file = try OpenFile(path + "-wal")
        return try file.bytes(file.size)
    }

    /// Changes a file of the copy.
    private static func writing(
        _ path: String, _ change: (any FileOperations, _ path: String) throws(SystemError) -> Void
    ) throws(StoreError) {
        do throws(SystemError) {
            try change(StoreFileSystem.system.operations, path)
        } catch {
            throw .unusable(path: path, reason: "no copy can be written there: \(error)")
        }
    }

    /// A file opened for reading.
    private struct OpenFile: ~Copyable {
        let path: String
        private let descriptor: Int32
        private let information: stat

        init(_ path: String) throws(StoreError) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.error(path) }
            var information = stat()
            guard fstat(descriptor, &information) == 0 else {
                let error = Self.error(path)
                close(descriptor)
                throw error
            }
            self.path = path
            self.descriptor = descriptor
            self.information = information
        }

        deinit {
            // Closing would release the locks of this process on the file, see fcntl_locking(2).
            if holder != getpid() { close(descriptor) }
        }

        var size: Int { max(Int(information.st_size), 0) }

        /// The process that holds a write lock on the file. Nil for none.
        private var holder: pid_t? {
            var lock = flock()
            lock.l_type = Int16(F_RDLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(DatabaseCopy.lockedBytes.start)
            lock.l_len = off_t(DatabaseCopy.lockedBytes.count)
            guard fcntl(descriptor, DatabaseCopy.getLock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else {
                return nil
            }
            return lock.l_pid
        }

        func isLocked() -> Bool { holder != nil }

        func checkUnused() throws(StoreError) {
            if holder != nil { throw .inUse(path: path) }
        }

        /// Returns whether the path still leads to this file.
        func isStillAtPath() -> Bool {
            var current = stat()
            return stat(path, &current) == 0 && current.st_ino == information.st_ino
                && current.st_dev == information.st_dev
        }

        /// Reads into a buffer, until it is full or the file ends. Returns the number of bytes.
        func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int = 0) throws(StoreError) -> Int {
            var count = 0
            while count < buffer.count {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, off_t(position + count))
                if result < 0, errno == EINTR { continue }
                guard result >= 0 else { throw Self.error(path) }
                guard result > 0 else { break }
                count += result
            }
            return count
        }

        /// Returns at most so many bytes from a position on; none at the end of the file.
        func bytes(_ length: Int, at position: Int = 0) throws(StoreError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: length)
            let count = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(StoreError) in try read(into: buffer, at: position) }
            }
            return Array(bytes[..<(try count.get())])
        }

        private static func error(_ path: String) -> StoreError {
            let code = errno
            if code == EACCES || code == EPERM { return .noPermission(path: path) }
            return .failed(
                path: path, operation: "reading", code: ResultCode.readFailed, message: String(cString: strerror(code)))
        }
    }
}
