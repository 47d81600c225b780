import Glibc

/// The file operations of the system.
struct SystemFileOperations: FileOperations {
    func exists(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0
    }

    func status(of path: String) -> FileStatus? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        return FileStatus(
            size: Int(information.st_size), device: UInt64(information.st_dev), inode: UInt64(information.st_ino))
    }

    func isAccessible(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 || errno != EACCES }

    func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    var bootID: UInt64? {
        guard let identifier = try? read("/proc/sys/kernel/random/boot_id"), !identifier.isEmpty else { return nil }
        var checksum = Checksum()
        checksum.add(identifier)
        return checksum.value
    }

    func makeFolder(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o750) == 0 else { throw .latest }
    }

    func makeFile(_ path: String) throws(SystemError) {
        close(try descriptor(of: path, O_RDWR | O_CREAT))
    }

    func read(_ path: String) throws(SystemError) -> [UInt8] {
        let descriptor = try descriptor(of: path, O_RDONLY)
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else {
                guard errno == EINTR else { throw .latest }
                continue
            }
            guard count > 0 else { return content }
            content += buffer[..<count]
        }
    }

    func write(_ bytes: [UInt8], to path: String, at offset: Int) throws(SystemError) {
        let descriptor = try descriptor(of: path, O_WRONLY)
        defer { close(descriptor) }
        try write(bytes, to: descriptor, at: offset)
    }

    /// Writes the zeros page by page and then drops the cached pages that were read. The kernel marks whole cached
    /// units as dirty: one page if it was written by pages, up to 2 MB if it was read ahead. So a small commit counts
    /// as 5 kB, not 25 to 200 kB.
    func grow(_ path: String, toBytes wanted: Int) throws(SystemError) {
        let descriptor = try descriptor(of: path, O_WRONLY)
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw .latest }
        var end = Int(information.st_size)
        if end > 0 { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
        let zeros = [UInt8](repeating: 0, count: 4 << 10)
        while end < wanted {
            let count = min(zeros.count, wanted - end)
            try write(Array(zeros[..<count]), to: descriptor, at: end)
            end += count
        }
        guard fsync(descriptor) == 0 else { throw .latest }
    }

    func synchronize(_ path: String) throws(SystemError) {
        let descriptor = try descriptor(of: path, O_RDONLY)
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .latest }
    }

    func rename(_ path: String, to other: String) throws(SystemError) {
        guard Glibc.rename(path, other) == 0 else { throw .latest }
    }

    func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 else { throw .latest }
    }

    private func descriptor(of path: String, _ access: Int32) throws(SystemError) -> Int32 {
        let descriptor = open(path, access | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .latest }
        return descriptor
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written, offset + written)
            }
            guard count > 0 else {
                guard count < 0, errno == EINTR else { throw count < 0 ? .latest : SystemError(code: ENOSPC) }
                continue
            }
            written += count
        }
    }
}

extension SystemError {
    /// The error of the last failed call on this thread.
    fileprivate static var latest: SystemError { SystemError(code: errno) }
}
