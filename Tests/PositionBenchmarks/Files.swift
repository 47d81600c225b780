import Glibc

/// The file operations of the benchmarks.
enum Files {
    /// The folder of the benchmarks' files. It must be on a disk, because a file system in memory writes nothing.
    static let folder: String = {
        let base = getenv("ODOGRAPH_BENCHMARK_FOLDER").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array((base + "/odograph-benchmark-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return base }
        return template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? base }
    }()

    static func path(_ name: String) -> String { folder + "/" + name }

    /// Returns the content of a file, also of a special file.
    static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let stream = fopen(path, "re") else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    static func write(_ bytes: some Collection<UInt8>, to path: String) throws {
        guard let stream = fopen(path, "we") else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
        defer { fclose(stream) }
        let content = Array(bytes)
        guard fwrite(content, 1, content.count, stream) == content.count else { throw Failure("\(path): short write") }
    }

    static func write(_ text: String, to path: String) throws { try write(text.utf8, to: path) }

    static func size(_ path: String) -> Int {
        var information = stat()
        return stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    /// Removes a database and its companion files.
    static func removeDatabase(_ path: String) {
        for companion in ["", "-wal", "-shm", "-journal", "-numbers"] { unlink(path + companion) }
    }

    /// Copies a closed database and synchronizes the copy before it is measured. Without the file of reserved numbers
    /// the agent would begin a new epoch, and move each record.
    static func copyDatabase(_ source: String, to path: String) throws {
        removeDatabase(path)
        for companion in ["", "-wal", "-numbers"] where size(source + companion) > 0 {
            try run(["cp", "--reflink=never", source + companion, path + companion])
        }
        sync()
    }

    /// Runs a program to its end.
    static func run(_ arguments: [String]) throws {
        let child = try ChildProcess(arguments, output: self.path("command.log"))
        guard child.wait() == 0 else { throw Failure("\(arguments.joined(separator: " ")): \(child.output)") }
    }

    static func removeAll() { try? run(["rm", "-rf", folder]) }
}
