import OdographCivilTime
import Glibc
import OdographHarness
import OdographStore
import OdographTracking

/// Everything that an agent writes, publishes or answers, by name.
struct Carriers {
    var contents: [String: [UInt8]] = [:]

    /// Adds the files of a folder and its subfolders, except the configuration file of the test.
    ///
    /// An agent that runs replaces and removes files, so a file that is gone when it is read is left out.
    mutating func addFiles(of folder: TemporaryFolder) throws {
        var waiting = [""]
        while let inner = waiting.popLast() {
            guard let handle = opendir(folder.file(inner)) else { continue }
            defer { closedir(handle) }
            while let entry = readdir(handle) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                let path = inner.isEmpty ? name : "\(inner)/\(name)"
                guard name != ".", name != "..", path != "agent.json5" else { continue }
                switch Int32(entry.pointee.d_type) {
                case Int32(DT_DIR): waiting.append(path)
                case Int32(DT_REG):
                    do {
                        contents["file \(path)"] = try FileContents.bytes(folder.file(path))
                    } catch {
                        guard access(folder.file(path), F_OK) != 0 else { throw error }
                    }
                default: continue
                }
            }
        }
    }

    /// Adds the contents of the database in decoded form: uncompressed records, and the journal's inputs as numbers.
    mutating func addDecoded(_ folder: TemporaryFolder) async throws {
        let copy = try TemporaryFolder()
        for name in ["agent.db", "agent.db-wal"] where access(folder.file(name), R_OK) == 0 {
            _ = try await ChildProcess.run("cp", [folder.file(name), copy.file(name)])
        }
        let store = try await AgentStore.open(at: copy.file("agent.db"), now: Timestamp(millisecondsSinceEpoch: 0))
            .store
        let saved = try await store.contents()
        var text = ""
        for journal in saved.journals {
            for input in try InputJournalEntry(bytes: journal).inputs.readable { text += "\(input)\n" }
        }
        contents["journal, decoded"] = Array(text.utf8)
        contents["snapshot"] = saved.snapshot ?? []
        contents["records, decoded"] = try await store.unacknowledged(limit: 100_000).flatMap(\.payload)
        contents["timeline, decoded"] =
            try await store.timelineEvents(from: Timestamp(millisecondsSinceEpoch: 0), to: .distantEnd).payloads.flatMap
        { $0 }
        try await store.close()
    }

    mutating func add(_ name: String, _ text: String) { contents[name, default: []] += Array(text.utf8) }

    /// Returns the finds of a search by the name of their output.
    func finds(_ search: LeakSearch) -> [String: [LeakSearch.Find]] {
        contents.mapValues { search.finds(in: $0) }.filter { !$0.value.isEmpty }
    }

    /// Returns the coordinates of a region, as text, by the name of their output.
    func finds(_ search: RegionSearch) -> [String: Set<String>] {
        contents.mapValues { search.finds(in: $0) }.filter { !$0.value.isEmpty }
    }
}

extension Timestamp {
    fileprivate static let distantEnd = Timestamp(millisecondsSinceEpoch: 4_000_000_000_000)
}
