import Glibc

/// A file that other programs read at any time. It is replaced as a whole.
struct MetricsFile: Hashable, Sendable {
    /// The path.
    let path: String

    /// Writes the file. Every user of the machine can read it.
    /// - Throws: ``MetricsFileError``; the file is then as it was.
    func write(_ text: String) throws(MetricsFileError) {
        // node_exporter reads files whose names end with .prom.
        let temporary = path + ".tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw MetricsFileError(path: temporary, code: errno) }
        var failure: Int32 = 0
        // The service's file mode mask allows its user only.
        if fchmod(descriptor, 0o644) != 0 { failure = errno }
        var rest = Array(text.utf8)[...]
        while failure == 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 { failure = errno == EINTR ? 0 : errno } else { rest = rest.dropFirst(count) }
        }
        if close(descriptor) != 0, failure == 0 { failure = errno }
        if failure == 0, rename(temporary, path) != 0 { failure = errno }
        guard failure == 0 else {
            unlink(temporary)
            throw MetricsFileError(path: path, code: failure)
        }
    }
}

/// The error of a metrics file that cannot be written.
struct MetricsFileError: Error, Hashable, CustomStringConvertible {
    let path: String
    /// The error of the system, see errno(3).
    let code: Int32

    /// One line: where, what, and how to correct it.
    var description: String {
        "\(path): cannot write the metrics (\(String(cString: strerror(code)))); check that the folder exists, and "
            + "that the recorder's user may write into it"
    }
}
