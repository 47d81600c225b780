import Glibc

/// Reads small files whole, and lists folders.
package enum FileReader {
    /// A file that cannot be read.
    package struct ReadError: Error, Hashable, CustomStringConvertible {
        package let description: String
        /// Whether it is larger than it may be.
        package var isTooLarge = false
    }

    /// - Returns: the bytes, or the reason why not, with what would be right.
    package static func read(_ path: String, atMost limit: Int) -> Result<[UInt8], ReadError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(ReadError(description: errorText(errno))) }
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
        let description = "larger than \(limit) bytes; this is not the file that is meant"
        return .failure(ReadError(description: description, isTooLarge: true))
    }

    /// Whether there may be something at a path: only the system's word that there is nothing says that there is not.
    package static func mayExist(_ path: String) -> Bool {
        access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// The first line of a file that has one, as the kernel's and the secret ones have.
    package static func firstLine(of path: String, atMost limit: Int) -> Result<String, ReadError> {
        read(path, atMost: limit).map { bytes in
            String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        }
    }

    /// The names in a folder, in no order; none where it cannot be read.
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

    /// Why a file cannot be read, and what would be right.
    package static func errorText(_ code: Int32) -> String {
        switch code {
        case ENOENT: "there is no such file; check the path"
        case EACCES: "this user may not read it; check its owner and mode"
        case EISDIR: "this is a folder; name a file in it"
        default: String(cString: strerror(code))
        }
    }
}
