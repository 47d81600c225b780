import Glibc
import Testing

/// A folder of a test's own, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/odograph-store-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Unmade(reason: String(cString: strerror(errno))) }
        path = String(cString: made)
    }

    struct Unmade: Error { var reason: String }

    deinit { Self.remove(path) }

    var database: String { path + "/agent.db" }

    /// The names in the folder, sorted.
    var names: [String] { Self.names(in: path) }

    func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { content += buffer[..<count] }
        return content
    }

    func write(_ content: some Collection<UInt8>, to path: String) {
        let bytes = Array(content)
        guard let file = fopen(path, "wb") else { return }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        if information.st_mode & S_IFMT == S_IFDIR {
            for name in names(in: path) { remove(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
