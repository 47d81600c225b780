import OdographCivilTime
import Glibc
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("A database and its reservation file")
struct OpeningNumbersTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The files of a database after a kill.
    private struct Files {
        var bytes: [String: [UInt8]]

        static let names = ["", "-wal", "-numbers"]

        init(of path: String, in folder: TemporaryFolder) {
            bytes = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, folder.bytes(at: path + $0)) })
        }

        func put(at path: String, in folder: TemporaryFolder, only names: [String] = names) {
            for name in names { folder.put(bytes[name] ?? [], at: path + name) }
        }
    }

    /// Makes a killed database of 100 records with a state. The first 10 records are delivered.
    private func makeFiles(_ options: StoreOptions = StoreOptions()) async throws -> (Files, [StoredRecord]) {
        let store = try await open(folder.database, options)
        let stored = try await store.fill(90)
        try await store.commit(journal: [], snapshot: [1, 2], now: start)
        try await store.acknowledge(stored[..<10].map(\.key))
        let all = stored + (try await store.fill(10, aCommit: 1))
        return (Files(of: folder.database, in: folder), all)
    }

    @Test("The databases that were put aside are found, without their companions and without other files")
    func aside() {
        let names = [
            "agent.db", "agent.db-wal", "agent.db.aside-1", "agent.db.aside-1-wal", "agent.db.aside-1-shm",
            "agent.db.aside-2", "other.db.aside-3", "notes",
        ]
        for name in names { folder.put([1], at: folder.file(name)) }
        #expect(
            StoreFileSystem.system.asidePaths(of: folder.database)
                == ["agent.db.aside-1", "agent.db.aside-2"].map(folder.file))
    }

    @Test(
        "After a kill, a flipped bit in the last frame makes its record possibly lost, not never assigned"
    )
    func lastFrame() async throws {
        let store = try await open(folder.database)
        let stored = try await store.fill(5, aCommit: 1)
        let before = folder.bytes(at: folder.database + "-wal")
        let lost = try await store.commit([record()], journal: [], now: start)[0]
        var files = Files(of: folder.database, in: folder)
        let log = try #require(files.bytes["-wal"])
        let last = try #require(log.indices.last { before[$0] != log[$0] })
        files.bytes["-wal"]?[last] ^= 0x10
        let other = try TemporaryFolder()
        files.put(at: other.database, in: other)
        for round in 0..<3 {
            let again = try await open(other.database, now: second(round))
            #expect(try await again.all() == stored)
            let entries = await again.ledger().filter { ($0.fromSeq...$0.toSeq).contains(lost.seq) }
            #expect(entries.map(\.reason) == [.possiblyLost], "\(entries)")
            // After a kill, and after a close.
            if round == 1 { try await again.close() }
        }
    }

    @Test("After a kill, numbers continue above the reserved block with a ledger entry and without a problem")
    func killed() async throws {
        let (files, stored) = try await makeFiles()
        files.put(at: folder.database, in: folder)
        for round in 0..<3 {
            // Until a record is stored, each opening gives the same numbers.
            let store = try await open(folder.database, now: second(round))
            #expect(store.report == OpeningReport(epoch: stored[0].epoch, isNew: false))
            #expect(try await store.all() == Array(stored[10...]))
            #expect(
                await store.ledger() == [
                    LedgerEntry(
                        epoch: stored[0].epoch, fromSeq: 101, toSeq: 305, count: 205, kind: nil,
                        reason: .neverAssigned, at: second(round))
                ])
            #expect(try await store.statistics().newestSeq == 100)
        }
        do {
            let store = try await open(folder.database, now: second(9))
            #expect(try await store.fill(2).map(\.seq) == [306, 307])
            #expect(try await store.statistics().givenUpCount == 0)
            #expect(try await store.contents().snapshot == [1, 2])
            try await store.close()
        }
        let store = try await open(folder.database, now: second(10))
        #expect(try await store.fill(1).map(\.seq) == [308])
        #expect(await store.ledger().map(\.count) == [205])
    }

    @Test("After a close or a release, numbers continue without a gap", arguments: StoreSynchronous.allCases)
    func closed(synchronous: StoreSynchronous) async throws {
        for round in 0..<4 {
            let store = try await open(folder.database, StoreOptions(synchronous: synchronous))
            #expect(try await store.fill(300).first?.seq == Int64(round) * 300 + 1)
            if round % 2 == 0 { try await store.close() }
        }
        let store = try await open(folder.database)
        #expect(await store.ledger().isEmpty)
    }

    @Test("The reservation is saved before the first number of a block is used, once per block")
    func reserved() async throws {
        let store = try await open(folder.database)
        func record() throws -> SequenceReservation? {
            var file = SequenceReservationFile(besideDatabase: folder.database, on: .system)
            return try file.load().reservation
        }
        #expect(try record()?.reservedThrough == 0)
        for seq in 1...600 as ClosedRange<Int64> {
            try await store.fill(1)
            #expect(try record()?.reservedThrough == (seq <= 256 ? 256 : seq <= 512 ? 512 : 768))
            #expect(try record()?.committedThrough == (seq <= 256 ? 0 : seq <= 512 ? 256 : 512))
        }
        try await store.fill(1000, aCommit: 1000)
        #expect(try record()?.reservedThrough == 1600 + 255)
        try await store.close()
        #expect(try record().map { $0.isClosed && $0.committedThrough == 1600 } == true)
    }

    @Test("An older copy of the database is reported and recorded, and the epoch continues above it")
    func olderCopy() async throws {
        let (old, stored) = try await makeFiles()
        let later: [StoredRecord]
        do {
            old.put(at: folder.database, in: folder)
            let store = try await open(folder.database)
            later = try await store.fill(500)
            try await store.close()
        }
        old.put(at: folder.database, in: folder, only: ["", "-wal"])
        let store = try await open(folder.database, now: second(1))
        #expect(store.report.inconsistency == .reverted(newest: 100, committedThrough: 805))
        #expect(await store.ledger().map(\.reason) == [.possiblyLost])
        #expect(await store.ledger().map { [$0.fromSeq, $0.toSeq] } == [[101, 805]])
        #expect(try await store.statistics().givenUpCount == 0)
        let new = try await store.fill(1)
        #expect(new[0].epoch == stored[0].epoch && new[0].seq == 806 && later.last?.seq == 805)
    }

    @Test(
        "A deleted or damaged reservation file starts a new epoch in the same database, which loses nothing",
        arguments: [
            Spoiling.numbersDeleted, .numbersZeroed,
        ])
    func recordLost(spoiling: Spoiling) async throws {
        let (files, stored) = try await makeFiles()
        files.put(at: folder.database, in: folder)
        var random = SplitMix64(seed: 1)
        spoiling.spoil(folder.database, in: folder, using: &random)
        do {
            let store = try await open(folder.database, now: second(1))
            #expect(
                store.report.inconsistency
                    == (spoiling == .numbersDeleted ? .reservationMissing : .reservationUnreadable))
            #expect(store.report.damage == nil && store.report.epoch == store.epochIdentity.epoch)
            #expect(store.epochIdentity.epoch > stored[0].epoch)
            #expect(try await store.all() == Array(stored[10...]))
            #expect(try await store.contents().snapshot == [1, 2])
            #expect(try await store.contents().journals.count == 10)
            #expect(try await store.statistics().depth == 90)
            let new = try await store.fill(3)
            #expect(new.map(\.seq) == [1, 2, 3] && new.allSatisfy { $0.epoch == store.epochIdentity.epoch })
            try await store.acknowledge(stored[10..<20].map(\.key) + [new[0].key])
            try await store.close()
        }
        let store = try await open(folder.database, now: second(2))
        #expect(store.report.inconsistency == nil && store.report.damage == nil)
        #expect(try await store.all().count == 82)
        #expect(try await store.fill(1).map(\.seq) == [4])
    }

    @Test("One damaged copy of the reservation is not reported, and both are valid after the next block")
    func oneCopy() async throws {
        let (files, _) = try await makeFiles()
        files.put(at: folder.database, in: folder)
        var random = SplitMix64(seed: 3)
        Spoiling.numbersBitFlipped.spoil(folder.database, in: folder, using: &random)
        let store = try await open(folder.database)
        #expect(store.report.inconsistency == nil)
        #expect(try await store.fill(1).map(\.seq) == [306])
        let bytes = folder.bytes(at: folder.database + "-numbers")
        #expect(Array(bytes[..<104]) == Array(bytes[4096...]))
    }

    @Test("A database deleted on a machine without a clock is reported and starts a later epoch, with a ledger entry")
    func deleted() async throws {
        let (_, stored) = try await makeFiles()
        var epochs = [stored[0].epoch]
        for _ in 0..<3 {
            for name in ["", "-wal"] { folder.remove(folder.database + name) }
            let store = try await open(folder.database, now: Timestamp(millisecondsSinceEpoch: 12_000))
            guard case .databaseMissing(epochs.last, _)? = store.report.inconsistency else {
                Issue.record("\(String(describing: store.report.inconsistency))")
                return
            }
            #expect(store.report.isNew && store.epochIdentity.epoch > epochs.last ?? 0)
            #expect(await store.ledger().map(\.epoch) == [epochs.last ?? 0])
            epochs.append(store.epochIdentity.epoch)
            #expect(try await store.fill(1).map(\.seq) == [1])
            try await store.close()
        }
    }

    @Test("Another database beside the reservation file starts an epoch later than both and keeps its records")
    func otherDatabase() async throws {
        let (files, stored) = try await makeFiles()
        let other = folder.path + "/other.db"
        let its = try await open(other).fill(20)
        files.put(at: folder.database, in: folder)
        for name in ["", "-wal"] { folder.put(folder.bytes(at: other + name), at: folder.database + name) }
        let store = try await open(folder.database, now: second(1))
        #expect(
            store.report.inconsistency == .otherDatabase(epoch: stored[0].epoch, reservedThrough: 305))
        #expect(store.epochIdentity.epoch > max(stored[0].epoch, its[0].epoch))
        #expect(try await store.all() == its)
        #expect(await store.ledger().map(\.epoch) == [stored[0].epoch])
    }

    @Test("An older copy of the reservation file starts a new epoch")
    func olderRecord() async throws {
        let (files, stored) = try await makeFiles()
        files.put(at: folder.database, in: folder)
        do { try await open(folder.database).fill(300) }
        files.put(at: folder.database, in: folder, only: ["-numbers"])
        let store = try await open(folder.database, now: second(1))
        #expect(store.report.inconsistency == .reservationOutdated(newest: 605, reservedThrough: 305))
        #expect(store.epochIdentity.epoch > stored[0].epoch)
    }

    @Test("Both files copied to another path continue there")
    func copied() async throws {
        let (files, stored) = try await makeFiles()
        let elsewhere = folder.path + "/elsewhere.db"
        files.put(at: elsewhere, in: folder)
        let store = try await open(elsewhere)
        #expect(store.report == OpeningReport(epoch: stored[0].epoch, isNew: false))
        #expect(try await store.fill(1).map(\.seq) == [306])
        // An agent that detects another vehicle's database begins an epoch.
        try await store.beginEpoch(now: second(1))
        #expect(store.epochIdentity.epoch > stored[0].epoch)
        let new = try await store.fill(1)
        #expect(new.map(\.key) == [RecordKey(epoch: store.epochIdentity.epoch, seq: 1)])
        #expect(try await store.all().count == 92)
    }

    @Test("A run in memory has a later epoch than the database, and the next run of the database a later one again")
    func memory() async throws {
        let (files, stored) = try await makeFiles()
        files.put(at: folder.database, in: folder)
        let memory = try await AgentStore.openInMemory(insteadOf: folder.database, now: second(1)).store
        #expect(memory.epochIdentity.epoch > stored[0].epoch)
        let store = try await open(folder.database, now: second(2))
        #expect(store.report.inconsistency == nil)
        #expect(store.epochIdentity.epoch > memory.epochIdentity.epoch)
        #expect(try await store.all() == Array(stored[10...]))
    }

    @Test("Runs in memory without files have different epochs, also without a clock")
    func memoryWithoutClock() async throws {
        var epochs: Set<Int64> = []
        for _ in 0..<20 {
            let store = try await AgentStore.openInMemory(
                insteadOf: folder.database, now: Timestamp(millisecondsSinceEpoch: 12_000)
            ).store
            epochs.insert(store.epochIdentity.epoch)
        }
        #expect(epochs.count == 20)
    }

    @Test("A new database without a reservation file has a later epoch than one that was set aside")
    func aside() async throws {
        let (files, stored) = try await makeFiles()
        files.put(at: folder.database + ".aside-20260921T141320Z", in: folder, only: ["", "-wal"])
        for name in ["", "-wal", "-numbers"] { folder.remove(folder.database + name) }
        let store = try await open(folder.database, now: Timestamp(millisecondsSinceEpoch: 12_000))
        #expect(store.epochIdentity.epoch > stored[0].epoch)
    }

    @Test("With a damaged database the reservation continues in the new one, and the ledger has the possible loss")
    func damaged() async throws {
        let (files, stored) = try await makeFiles()
        files.put(at: folder.database, in: folder)
        folder.put([UInt8](repeating: 0x5A, count: 20_000), at: folder.database)
        folder.remove(folder.database + "-wal")
        let store = try await open(folder.database, now: second(1))
        #expect(store.report.damage != nil && store.epochIdentity.epoch > stored[0].epoch)
        #expect(await store.ledger().map { [$0.epoch, $0.fromSeq, $0.toSeq] } == [[stored[0].epoch, 1, 305]])
        #expect(try await store.fill(1).map(\.seq) == [1])
        try await store.close()
        let next = try await open(folder.database, now: second(2))
        #expect(next.report == OpeningReport(epoch: store.epochIdentity.epoch, isNew: false))
    }

    @Test("Records that were dropped before they were stored get numbers and a ledger entry")
    func dropped() async throws {
        let store = try await open(folder.database)
        try await store.fill(5)
        let stored = try await store.commit(
            records(2), dropped: [.location: 900, .timeline: 100], journal: [], now: second(3))
        #expect(stored.map(\.seq) == [1006, 1007])
        #expect(
            await store.ledger() == [
                LedgerEntry(
                    epoch: stored[0].epoch, fromSeq: 6, toSeq: 905, count: 900, kind: .location, reason: .notStored,
                    at: second(3)),
                LedgerEntry(
                    epoch: stored[0].epoch, fromSeq: 906, toSeq: 1005, count: 100, kind: .timeline,
                    reason: .notStored, at: second(3)),
            ])
        #expect(try await store.statistics().givenUpCount == 1000)
        // Without a stored record there is no number, and no ledger entry yet.
        try await store.commit(dropped: [.location: 7], journal: [1], now: second(4))
        #expect(try await store.statistics().givenUpCount == 1000)
    }

    @Test("A lost log is also detected if it contained no record", arguments: ["document", "state", "acknowledgement"])
    func lostLogWithoutRecord(change: String) async throws {
        let disk = try SimulatedDisk()
        var options = StoreOptions()
        options.files = disk.files
        let path = SimulatedAgent.path
        let (first, _) = try await AgentStore.open(at: path, options: options, now: second(0))
        let keys = try await first.commit([record()], journal: [], now: second(0)).map(\.key)
        try await first.close()
        let (store, _) = try await AgentStore.open(at: path, options: options, now: second(1))
        switch change {
        case "document": try await store.saveDocument("configuration", [1])
        case "state": try await store.commit(journal: [1], now: second(1))
        default:
            try await store.acknowledge(keys)
            try await store.flushAcknowledgements()
        }
        let killed = try disk.afterKill()
        try killed.remove(path + "-wal")
        options.files = killed.files
        let (_, report) = try await AgentStore.open(at: path, options: options, now: second(2))
        #expect(report.inconsistency == .logLost)
    }
}
