import Glibc

/// Files that a power cut cannot leave half written.
package enum AtomicFile {
    /// Writes a file atomically: after a power cut it is complete, or absent, or the old one.
    package static func write(_ parts: [[UInt8]], to path: String) throws(FileFault) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FileFault(temporary, "cannot be created: \(String(cString: strerror(errno)))")
        }
        var isDone = true
        for part in parts where isDone { isDone = write(part, descriptor) }
        isDone = isDone && fsync(descriptor) == 0
        var code = errno
        close(descriptor)
        if isDone, rename(temporary, path) != 0 { (isDone, code) = (false, errno) }
        guard isDone else {
            unlink(temporary)
            throw FileFault(path, "cannot be written: \(String(cString: strerror(code)))")
        }
        synchronize(folderOf: path)
    }

    /// Overwrites a file within the space that it has on the disk, which a full disk permits. After a power cut it can
    /// be half written.
    /// - Returns: Whether it is done.
    static func overwrite(_ path: String, with bytes: [UInt8]) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        // A block of the status has 512 bytes.
        guard fstat(descriptor, &status) == 0, bytes.count <= Int(status.st_blocks) * 512 else { return false }
        return write(bytes, descriptor) && ftruncate(descriptor, off_t(bytes.count)) == 0 && fsync(descriptor) == 0
    }

    /// Creates an empty file, unless there is one.
    static func create(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
        synchronize(folderOf: path)
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var place = 0
        while place < bytes.count {
            let count = bytes[place...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            place += count
        }
        return true
    }

    private static func synchronize(folderOf path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
