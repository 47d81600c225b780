import Glibc

/// A failure of the harness, as a sentence.
public struct HarnessError: Error, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// - Parameter description: The sentence.
    public init(_ description: String) { self.description = description }

    static func system(_ what: String, _ code: Int32 = errno) -> HarnessError {
        HarnessError("\(what): \(String(cString: strerror(code)))")
    }
}

/// A folder of a test, which is removed with its contents when the last reference is released.
public final class TemporaryFolder: Sendable {
    /// The absolute path.
    public let path: String

    /// Creates the folder under `TMPDIR`, or `/tmp`.
    public init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((base + "/odograph-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw HarnessError.system("no folder under \(base)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { Self.remove(path) }

    /// Returns the path of a file in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Writes a text file.
    /// - Returns: Its path.
    @discardableResult
    public func write(_ text: String, to name: String, mode: mode_t = 0o644) throws -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    /// Writes a file of bytes.
    /// - Returns: Its path.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws -> String {
        let path = file(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw HarnessError.system(path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw HarnessError.system(path) }
            rest = rest.dropFirst(count)
        }
        return path
    }

    /// Reads a file of the folder as text.
    public func read(_ name: String) throws -> String { try FileContents.text(file(name)) }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                let inner = path + "/" + name
                if unlink(inner) != 0 { remove(inner) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
