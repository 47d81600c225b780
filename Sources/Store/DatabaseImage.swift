import Glibc
import OdographSQLite

/// A copy of a database in memory, including its write-ahead log.
///
/// Reading takes no lock and writes nothing, so it cannot block an agent that starts. Instead, it verifies that no
/// agent has written meanwhile: before and after, no process holds the database's lock, and the log is the same. Then
/// each page of the file that changed meanwhile is in the log, and the log's copy is used.
struct DatabaseImage: ~Copyable {
    /// The bytes that SQLite locks while a file is open (`SHARED_FIRST` and `SHARED_SIZE` in SQLite's `os.h`).
    private static let lockedBytes: (start: Int, count: Int) = (0x4000_0002, 510)
    /// `F_OFD_GETLK` of fcntl(2), which Swift does not import: it returns a conflicting lock, also of this process.
    private static let getLock: Int32 = 36
    /// The number of attempts to read a file that changes meanwhile.
    private static let attempts = 20

    private let bytes: UnsafeMutableRawBufferPointer

    /// Takes ownership of bytes that SQLite allocated.
    private init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

    deinit { SQLiteMemory.free(bytes.baseAddress) }

    /// The number of bytes; 0 for an empty file.
    var count: Int { bytes.count }

    /// Releases the ownership of the bytes: the receiver frees them with `SQLiteMemory.free`.
    consuming func release() -> UnsafeMutableRawBufferPointer {
        let bytes = bytes
        discard self
        return bytes
    }

    /// Returns a copy of a database.
    ///
    /// - Throws: `inUse` if an agent has it open; `noPermission`; `failed` if the disk cannot read it.
    static func read(_ path: String) throws(StoreError) -> DatabaseImage {
        for attempt in 0..<attempts {
            if attempt > 0 { usleep(50_000) }
            let file = try OpenFile(path)
            try file.checkUnused()
            let log = try logBytes(path)
            let image = try file.image(with: WriteAheadLog(log))
            try file.checkUnused()
            let logAfter = try logBytes(path)
            if file.isStillAtPath(), log == logAfter { return image }
        }
        throw .inUse(path: path)
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
        var bytes = [UInt8](repeating: 0, count: file.size)
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StoreError) in try file.read(into: buffer) }
        }
        return Array(bytes[..<(try count.get())])
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
            lock.l_start = off_t(DatabaseImage.lockedBytes.start)
            lock.l_len = off_t(DatabaseImage.lockedBytes.count)
            guard fcntl(descriptor, DatabaseImage.getLock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else {
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

        /// Reads from the start of the file into a buffer. Returns the number of bytes.
        func read(into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
            var count = 0
            while count < buffer.count {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, off_t(count))
                if result < 0, errno == EINTR { continue }
                guard result >= 0 else { throw Self.error(path) }
                guard result > 0 else { break }
                count += result
            }
            return count
        }

        /// Returns the file's content, overlaid with a log's pages.
        func image(with log: WriteAheadLog?) throws(StoreError) -> DatabaseImage {
            let pages = log.flatMap { log in log.pageCount.map { $0 * log.pageBytes } }
            let (total, room) = (pages ?? size, max(pages ?? 0, size))
            guard total > 0 else { return DatabaseImage(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
            guard let memory = SQLiteMemory.allocate(bytes: room) else {
                throw .failed(path: path, operation: "reading", code: ResultCode.noMemory, message: "not enough memory")
            }
            let image = DatabaseImage(UnsafeMutableRawBufferPointer(start: memory, count: total))
            let buffer = UnsafeMutableRawBufferPointer(start: memory, count: room)
            let known = try read(into: buffer)
            memset(memory + known, 0, room - known)
            log?.overlay(buffer)
            return image
        }

        private static func error(_ path: String) -> StoreError {
            let code = errno
            if code == EACCES || code == EPERM { return .noPermission(path: path) }
            return .failed(
                path: path, operation: "reading", code: ResultCode.readFailed, message: String(cString: strerror(code)))
        }
    }
}
