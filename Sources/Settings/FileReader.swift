import Glibc

/// Reads small files completely, and lists folders.
package enum FileReader {
    /// The reason why a file cannot be read.
    package struct ReadError: Error, Hashable, CustomStringConvertible {
        package let description: String
        /// Whether the file exceeds the limit.
        package let isTooLarge: Bool

        /// - Parameters: As the properties of the same names.
        package init(description: String, isTooLarge: Bool = false) {
            (self.description, self.isTooLarge) = (description, isTooLarge)
        }
    }

    /// The path that stands for the standard input.
    package static let standardInput = "-"

    /// Returns the name of a file in messages.
    package static func name(of path: String) -> String {
        path == standardInput ? "the standard input" : ServiceCredentials.name(of: path)
    }

    /// Returns the bytes of a file of at most `limit` bytes, or an error with its correction. The path `-` is the
    /// standard input.
    package static func read(_ path: String, atMost limit: Int) -> Result<[UInt8], ReadError> {
        let descriptor = path == standardInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return .failure(ReadError(description: openingErrorText(errno, path)))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return .success(bytes) }
            if count < 0 {
                if errno == EINTR { continue }
                return .failure(ReadError(description: errorText(errno)))
            }
            bytes += chunk[..<count]
        }
        let description = "larger than \(limit) bytes; check the path"
        return .failure(ReadError(description: description, isTooLarge: true))
    }

    /// Whether a path may exist. Only the errors ENOENT and ENOTDIR prove that it does not.
    package static func mayExist(_ path: String) -> Bool {
        access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Whether this user may look into the folder of a path.
    package static func maySee(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != EACCES }

    /// Returns the owner and the mode of a file or folder in words; nil if this user cannot see it.
    package static func ownerText(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        return "owner \(owner), mode \(String(status.st_mode & 0o7777, radix: 8))"
    }

    /// Returns the first line of a file, such as a file of the kernel or a secret.
    package static func firstLine(of path: String, atMost limit: Int) -> Result<String, ReadError> {
        read(path, atMost: limit).map { bytes in
            String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        }
    }

    /// Returns the names in a folder, unordered; none if it cannot be read.
    package static func entryNames(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns a description of an error of opening a file or folder, with a correction.
    package static func openingErrorText(_ code: Int32, _ path: String) -> String {
        ServiceCredentials.isMissing(path) ? ServiceCredentials.problem : errorText(code)
    }

    /// Returns a description of an error of reading, with a correction.
    package static func errorText(_ code: Int32) -> String {
        switch code {
        case ENOENT: "the file does not exist; check the path"
        case EACCES: "this user cannot read it; check its owner and mode"
        case EISDIR: "this is a folder; give a file in it"
        default: String(cString: strerror(code))
        }
    }
}
