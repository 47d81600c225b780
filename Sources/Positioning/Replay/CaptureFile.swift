import Glibc

/// An open file that is read sequentially.
struct CaptureFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens a file; `-` is the standard input.
    /// - Throws: `CaptureError` if the file cannot be opened.
    init(path: String) throws(CaptureError) {
        descriptor = try Self.opened(path)
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    private static func opened(_ path: String) throws(CaptureError) -> Int32 {
        let descriptor = path == StandardInput.path ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(errno, path: path) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            close(descriptor)
            throw .isDirectory(path: path)
        }
        return descriptor
    }

    /// Whether a path is that of a file that can be read again from its beginning.
    static func isRegular(path: String) -> Bool {
        var status = Glibc.stat()
        return path != StandardInput.path && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads up to the size of the buffer.
    /// - Returns: The number of bytes, 0 at the end, −1 on an error, with `errno` set.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    func lastError() -> CaptureError {
        Self.error(errno, path: path)
    }

    private static func error(_ code: Int32, path: String) -> CaptureError {
        switch code {
        case ENOENT, ENOTDIR: .notFound(path: path)
        case EACCES, EPERM: .noPermission(path: path)
        case EISDIR: .isDirectory(path: path)
        default: .unreadable(path: path, reason: String(cString: strerror(code)))
        }
    }
}
