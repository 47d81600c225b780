import OdographHarness
import OdographCivilTime
import Glibc
import OdographWire
import Testing

@testable import OdographStore

@Suite("Damage of every kind: opening never fails and keeps the readable records")
struct DamageTests {
    let folder: TemporaryFolder
    /// The path of the copy of the reservation file that belongs to the files.
    private var numbers: String { folder.file("numbers") }

    init() throws { folder = try TemporaryFolder() }

    /// Makes a database of some 60 pages; its last 20 records are only in the log.
    private func makeFiles() async throws -> (file: [UInt8], log: [UInt8], records: [StoredRecord]) {
        var stored: [StoredRecord] = []
        do {
            let store = try await open(folder.database, StoreOptions().with { $0.walPreallocationBytes = 64 << 10 })
            stored = try await store.fill(100)
        }
        let store = try await open(folder.database, StoreOptions().with { $0.walPreallocationBytes = 64 << 10 })
        stored += try await store.fill(20, aCommit: 5)
        // Copied while the store is open: the state after a power cut.
        folder.put(folder.bytes(at: folder.database + "-numbers"), at: numbers)
        return (folder.bytes(at: folder.database), folder.bytes(at: folder.database + "-wal"), stored)
    }

    /// Opens damaged files and checks the invariants.
    ///
    /// - Parameter isLarge: Whether the database counts as too large for a check when it is opened.
    /// - Returns: The number of readable records.
    private func openDamaged(
        _ file: [UInt8], _ log: [UInt8], from records: [StoredRecord], number: Int, isLarge: Bool = false
    ) async throws -> Int {
        let path = folder.path + "/\(number).db"
        folder.put(file, at: path)
        folder.put(log, at: path + "-wal")
        folder.put(folder.bytes(at: numbers), at: path + "-numbers")
        defer { for name in folder.names where name.hasPrefix("\(number).db") { unlink(folder.path + "/" + name) } }
        var options = StoreOptions().with { $0.walPreallocationBytes = 64 << 10 }
        if isLarge { options.fullCheckMaximumBytes = 0 }
        let (store, report) = try await AgentStore.open(at: path, options: options, now: second(number + 1))
        while try await store.advanceIntegrityScan() {}
        // Each record is unchanged or missing.
        let known = Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0) })
        let found = try await store.all()
        #expect(found.allSatisfy { known[$0.key]?.payload == $0.payload })
        #expect(Set(found.map(\.key)).count == found.count)
        let new = try await store.commit([record()], journal: [], now: start)
        if report.damage != nil || store.epochIdentity.epoch != report.epoch {
            #expect(new[0].seq == 1 && new[0].epoch > records[0].epoch)
        }
        // Some damage is only found by reading.
        let count = try await store.all().count
        let statistics = try await store.statistics()
        #expect(isLarge ? statistics.depth >= count : statistics.depth == count, "\(statistics), \(report)")
        return found.count
    }

    @Test("A file truncated at any multiple of 512 bytes can be opened", arguments: [false, true])
    func truncatedFile(isLarge: Bool) async throws {
        let (file, log, records) = try await makeFiles()
        for (number, length) in stride(from: 0, through: file.count, by: 512).enumerated() {
            _ = try await openDamaged(
                Array(file[..<length]), log, from: records, number: number, isLarge: isLarge)
        }
    }

    @Test("A log truncated at any multiple of 512 bytes loses nothing that is in the file")
    func truncatedLog() async throws {
        let (file, log, records) = try await makeFiles()
        let used = min(log.count, 64 << 10)
        for (number, length) in stride(from: 0, through: used, by: 512).enumerated() {
            let found = try await openDamaged(file, Array(log[..<length]), from: records, number: number)
            #expect(found >= 100)
        }
    }

    @Test(
        "A page overwritten with noise loses only its own records",
        arguments: [false, true])
    func noisyPage(isLarge: Bool) async throws {
        let (file, log, records) = try await makeFiles()
        var random = SplitMix64(seed: 1)
        var counts: [Int] = []
        for page in 0..<file.count / 1024 {
            var damaged = file
            for index in page * 1024..<(page + 1) * 1024 {
                damaged[index] = UInt8.random(in: .min ... .max, using: &random)
            }
            counts.append(
                try await openDamaged(damaged, log, from: records, number: page, isLarge: isLarge))
        }
        // The first page contains the schema, an inner page the leaf pages. Every other page contains two records.
        #expect(counts.filter { $0 >= 116 }.count >= counts.count - 12)
    }

    @Test("A file with flipped bytes can be opened", arguments: 0..<40)
    func flippedInFile(seed: UInt64) async throws {
        let isLarge = seed % 2 == 1
        var random = SplitMix64(seed: seed)
        let (file, log, records) = try await makeFiles()
        for number in 0..<4 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            _ = try await openDamaged(damaged, log, from: records, number: number, isLarge: isLarge)
        }
    }

    @Test("Flipped bytes in the log lose nothing that is in the file", arguments: 0..<20)
    func flippedInLog(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let (file, log, records) = try await makeFiles()
        for number in 0..<4 {
            var damaged = log
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            #expect(try await openDamaged(file, damaged, from: records, number: number) >= 100)
        }
    }
}
