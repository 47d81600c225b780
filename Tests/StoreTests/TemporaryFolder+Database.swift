import Glibc
import OdographHarness
import OdographSQLite
import Testing

@testable import OdographStore

extension TemporaryFolder {
    /// The path of the test's database.
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

    /// Returns the content of a file, or an empty array without one.
    func bytes(at path: String) -> [UInt8] { (try? FileContents.bytes(path)) ?? [] }

    /// Removes a file if it exists.
    func remove(_ path: String) { unlink(path) }

    func put(_ content: some Collection<UInt8>, at path: String) {
        let bytes = Array(content)
        guard let file = fopen(path, "wb") else { return }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    /// Copies the database as it is on the disk now, with its log and its reservation file.
    func copyDatabase(to name: String) throws {
        for suffix in ["", "-wal", "-numbers"] {
            let content = bytes(at: database + suffix)
            if !content.isEmpty { put(content, at: file(name) + suffix) }
        }
    }

    /// Overwrites pages of the database, counted from 1, as a failing disk does, while a store may have the file open.
    func spoil(_ pages: Range<Int>) throws {
        let file = try #require(fopen(database, "r+be"))
        fseek(file, (pages.lowerBound - 1) * SQLiteConnection.pageBytes, SEEK_SET)
        let noise = [UInt8](repeating: 0xA5, count: pages.count * SQLiteConnection.pageBytes)
        fwrite(noise, 1, noise.count, file)
        fclose(file)
    }
}
