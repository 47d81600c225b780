import Glibc
import Harness

extension TemporaryFolder {
    /// Where the test's database lies.
    var database: String { file("agent.db") }

    /// The names in the folder, sorted.
    var names: [String] {
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

    /// A file's content; nothing where there is none.
    func bytes(at path: String) -> [UInt8] { (try? FileContents.bytes(path)) ?? [] }

    /// Removes a file, if there is one.
    func remove(_ path: String) { unlink(path) }

    func put(_ content: some Collection<UInt8>, at path: String) {
        let bytes = Array(content)
        guard let file = fopen(path, "wb") else { return }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }
}
