import OdographHarness
import OdographCivilTime
import OdographWire
import Testing

@testable import OdographStore

@Suite("The tracker's state")
struct StateTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The used slots end with the last one that has an entry newer than the snapshot", arguments: 0...4)
    func slots(obsolete: Int64) throws {
        let database = try DatabaseOpener(path: "memory", options: StoreOptions(), now: start).openInMemory()
        for slot in 0..<Int64(4) {
            var journal = CommitJournal()
            journal.append(CommitJournal.Entry(ordinal: slot + 1, bytes: [7]))
            try database.trackerStateTables.saveEntries(journal.encoded, slot: slot)
        }
        #expect(try database.trackerStateTables.slotCount(after: obsolete) == (obsolete < 4 ? 4 : 0))
    }

    @Test("Journals since the newest snapshot are returned in order, with or without their rows", arguments: 0..<12)
    func restored(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var snapshot: [UInt8]?
        var journals: [[UInt8]] = []
        for round in 0..<4 {
            let store = try await open(folder.database, StoreOptions().with { $0.acknowledgementBatch = 20 })
            let restored = try await store.contents()
            #expect(restored.snapshot == snapshot)
            #expect(restored.journals == journals)
            for step in 0..<40 {
                let journal = (0..<Int.random(in: 0...1500, using: &random) / 7).map {
                    UInt8(truncatingIfNeeded: $0 + step + round)
                }
                let new =
                    Int.random(in: 0..<15, using: &random) == 0
                    ? (0..<Int.random(in: 0...5000, using: &random)).map { UInt8(truncatingIfNeeded: $0) } : nil
                let stored = try await store.commit(
                    records(Int.random(in: 0...2, using: &random)), journal: journal, snapshot: new, now: start)
                if let new {
                    snapshot = new
                    journals = []
                } else if !journal.isEmpty {
                    journals.append(journal)
                }
                // Most records are acknowledged at once, some late, some never.
                let late = try await store.unacknowledged(limit: 2).map(\.key)
                let keys = stored.map(\.key) + (step % 9 == 0 ? late : [])
                try await store.acknowledge(keys.filter { _ in Int.random(in: 0..<10, using: &random) > 0 })
                if step % 13 == 0 { try await store.flushAcknowledgements() }
            }
            let end = try await store.contents()
            #expect(end.snapshot == snapshot && end.journals == journals)
        }
    }

    @Test("A commit without records can contain a snapshot, a journal, or nothing")
    func withoutRecords() async throws {
        let store = try await open(folder.database)
        try await store.commit(journal: [], now: start)
        try await store.commit(journal: [1], now: start)
        #expect(try await store.contents().journals == [[1]])
        try await store.commit(journal: [2], snapshot: [3], now: start)
        try await store.commit(journal: [4], now: start)
        let restored = try await store.contents()
        #expect(restored.snapshot == [3] && restored.journals == [[4]])
    }

    @Test(
        "Entries are read as written, and invalid bytes end the list",
        arguments: [0, 1, 127, 128, 20_000])
    func entries(count: Int) {
        var journal = CommitJournal()
        let entries = [1, 127, 128, Int64.max].map {
            CommitJournal.Entry(ordinal: $0, bytes: [UInt8](repeating: 5, count: count))
        }
        for entry in entries { journal.append(entry) }
        #expect(CommitJournal.entries(in: journal.encoded) == entries)
        #expect(CommitJournal.entries(in: journal.encoded + [0xFF]) == entries)
        #expect(CommitJournal.entries(in: [UInt8](repeating: 0xFF, count: 30)).isEmpty)
    }
}
