import Glibc
import OdographCivilTime
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("Records that end with a run because they could not be stored")
struct UnsavedRecordsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "As many numbers are possibly lost at the next start, and none of them is used", arguments: [62, 1000],
        StoreSynchronous.allCases)
    func lost(count: Int, synchronous: StoreSynchronous) async throws {
        let options = StoreOptions(synchronous: synchronous)
        let store = try await open(folder.database, options)
        let stored = try await store.fill(10)
        try await store.close(losing: count)
        let next = try await open(folder.database, options, now: second(1))
        #expect(next.report.inconsistency == nil && next.report.lostRecords >= count)
        let entry = try #require(await next.ledger().first)
        #expect(entry.epoch == stored[0].epoch && entry.reason == .possiblyLost)
        // The rest of the reserved block is left out in each case.
        #expect(entry.fromSeq == 11 && Int(entry.toSeq) == max(265, 10 + count))
        let later = try await next.fill(1)
        #expect(later.map(\.key) == [RecordKey(epoch: stored[0].epoch, seq: entry.toSeq + 1)])
        #expect(try await next.all() == stored + later)
        try await next.close()
        let last = try await open(folder.database, options, now: second(2))
        #expect(await last.ledger() == [entry])
        #expect(try await last.fill(1).map(\.seq) == [entry.toSeq + 2])
    }

    @Test("A second such run without a stored record adds its numbers")
    func twice() async throws {
        let store = try await open(folder.database)
        try await store.fill(10)
        try await store.close(losing: 5)
        try await open(folder.database, now: second(1)).close(losing: 300)
        let last = try await open(folder.database, now: second(2))
        let entry = try #require(await last.ledger().first)
        #expect(entry.fromSeq == 11 && entry.toSeq == 565 && entry.reason == .possiblyLost)
        #expect(try await last.fill(1).map(\.seq) == [566])
    }

    @Test(
        "A full disk takes the numbers",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func fullDisk() async throws {
        let disk = try SmallFileSystem()
        let (store, stored, failure) = try await fillDisk(disk)
        #expect(failure != nil)
        try await store.close(losing: 10)
        disk.release()
        let next = try await open(disk.folder.database, shortLog, now: second(1))
        let newest = try #require(stored.last).seq
        let entry = try #require(await next.ledger().first)
        #expect(entry.fromSeq == newest + 1 && entry.toSeq >= newest + 10 && entry.reason == .possiblyLost)
        #expect(try await next.all() == stored)
        #expect(try await next.fill(1).map(\.seq) == [entry.toSeq + 1])
    }
}

@Suite("A run in memory that ends before its file can be used")
struct EndedMemoryRunTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func receipt(_ revision: Int64, _ epochs: [Receipt.Epoch]) -> RecorderReceipt {
        RecorderReceipt(
            recorder: "main", receipt: Receipt(databaseID: "a", revision: revision, interval: 600, epochs: epochs))
    }

    private func beginDelivery(_ store: AgentStore) async throws {
        try await store.configureDelivery(DeliveryPolicy(recorders: ["main"], keepSeconds: 0, codec: .text))
    }

    @Test("Its numbers are possibly lost at the next start, also after a kill, and once", arguments: [false, true])
    func numbers(isKilled: Bool) async throws {
        let earlier = try await open(folder.database)
        let stored = try await earlier.fill(10)
        try await earlier.close()
        var runs: [AgentStore] = []
        for number in 1...2 {
            let run = try await AgentStore.openInMemory(insteadOf: folder.database, now: second(number)).store
            try await run.fill(5)
            if !isKilled { try await run.close() }
            runs.append(run)
        }
        let store = try await open(folder.database, now: second(3))
        let ledger = await store.ledger()
        #expect(ledger.map(\.epoch) == runs.map(\.epochIdentity.epoch))
        #expect(ledger.allSatisfy { $0.fromSeq == 1 && $0.toSeq == (isKilled ? 260 : 5) && $0.reason == .possiblyLost })
        #expect(store.epochIdentity.epoch > runs[1].epochIdentity.epoch && store.report.inconsistency == nil)
        #expect(try await store.all() == stored)
        try await store.close()
        let last = try await open(folder.database, now: second(4))
        #expect(await last.ledger() == ledger)
        withExtendedLifetime(runs) {}
    }

    @Test("Neither the epochs of the file nor its own one are those of another machine, and its lost numbers are named")
    func receipts() async throws {
        let earlier = try await open(folder.database)
        let first = earlier.epochIdentity.epoch
        try await earlier.fill(10)
        try await earlier.close()
        let run = try await AgentStore.openInMemory(insteadOf: folder.database, now: second(1)).store
        let ofRun = run.epochIdentity.epoch
        try await beginDelivery(run)
        try await run.fill(5)
        var findings = try await run.apply(receipt(1, [.init(epoch: first, through: 10)]), now: start)
        #expect(findings == ReceiptFindings(isAccepted: true))
        try await run.close()
        let store = try await open(folder.database, now: start.advanced(bySeconds: 2))
        try await beginDelivery(store)
        findings = try await store.apply(
            receipt(
                2, [.init(epoch: first, through: 10), .init(epoch: ofRun, through: 3), .init(epoch: 77, through: 1)]),
            now: start)
        #expect(findings == ReceiptFindings(isAccepted: true, foreignEpochs: [77]))
        let named = try await store.all().filter { $0.kind == .givenUp }
        let names = named.flatMap { GivenUpCodec.text.decode($0.payload) }
        #expect(names == [GivenUpNumbers(epoch: ofRun, numbers: 4...5, reason: .ledger(.possiblyLost))])
    }

    @Test("A run that moves into the file loses nothing")
    func moved() async throws {
        try await open(folder.database).close()
        let run = try await AgentStore.openInMemory(insteadOf: folder.database, now: second(1)).store
        let stored = try await run.fill(5)
        _ = try await run.reopenFile(now: second(2))
        try await run.moveIntoFile(snapshot: nil, now: second(2))
        try await run.close()
        let store = try await open(folder.database, now: second(3))
        #expect(await store.ledger().isEmpty)
        #expect(try await store.all() == stored)
    }
}
