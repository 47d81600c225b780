import OdographCivilTime
import Glibc
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("A store in memory moves into its file later")
struct MemoryReturnTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func inMemory(now: Timestamp = second(100)) async throws -> AgentStore {
        let store = try await AgentStore.openInMemory(insteadOf: folder.database, now: now).store
        #expect(await store.isWaitingForFile)
        return store
    }

    private func timeline(_ id: String, update: Int) -> PendingRecord {
        PendingRecord(
            kind: .timeline, timestamp: second(update),
            timeline: TimelineKey(eventID: id, start: start, end: nil, lastUpdate: second(update), isFinal: false)
        ) { identity in Array("\(identity.epoch) \(identity.seq) event".utf8) }
    }

    @Test("Without an earlier file all records are written under their identities")
    func noFile() async throws {
        let store = try await inMemory()
        let stored = try await store.fill(20)
        try await store.commit([timeline("a", update: 3)], journal: [], snapshot: [7], now: start)
        try await store.saveDocument("configuration", [4])
        try await store.acknowledge([stored[0].key])
        #expect(try await store.reopenFile(now: second(101)) == nil)
        try await store.moveIntoFile(snapshot: nil, now: second(101))
        #expect(await !store.isWaitingForFile)
        #expect(try await store.unacknowledged(limit: 19) == Array(stored.dropFirst()))
        let next = try await store.fill(1)
        #expect(next[0].seq == 22 && next[0].epoch == stored[0].epoch)
        try await store.close()
        #expect(folder.names == ["agent.db", "agent.db-numbers", "agent.db-wal"])
        let anew = try await open(folder.database)
        #expect(anew.report.damage == nil && anew.epochIdentity.epoch == stored[0].epoch)
        #expect(try await anew.all().first == stored[1])
        #expect(try await anew.contents().snapshot == [7])
        #expect(try await anew.contents().openTimelineEvents.count == 1)
    }

    @Test("Records, timeline, documents and ledger of an earlier file are kept", arguments: [100, -100])
    func earlierFile(secondsLater: Int) async throws {
        let earlier = try await open(folder.database)
        let old = try await earlier.fill(10)
        try await earlier.commit([timeline("old", update: 1)], journal: [], snapshot: [1], now: start)
        try await earlier.commit(journal: [2], now: start)
        try await earlier.saveDocument("configuration", [1])
        try await earlier.saveDocument("owner", [2])
        try await earlier.expireRecords(before: second(3), now: start)
        let ledger = await earlier.ledger()
        #expect(ledger.count == 1)
        try await earlier.close()

        // With a clock that was behind, the new epoch is smaller than the earlier file's.
        let store = try await inMemory(now: second(secondsLater))
        let stored = try await store.fill(5)
        try await store.saveDocument("configuration", [3])
        let contents = try #require(try await store.reopenFile(now: second(101)))
        #expect(contents.snapshot == [1] && contents.journals == [[2]] && contents.openTimelineEvents.count == 1)
        #expect(contents.documents == ["configuration": [1], "owner": [2]])
        try await store.moveIntoFile(snapshot: [9], now: second(101))
        let next = try await store.fill(1)
        // If the reservation file has a later epoch than the store in memory, the file begins another epoch.
        #expect(next[0].key == RecordKey(epoch: stored[0].epoch, seq: 6) || next[0].epoch > stored[0].epoch)
        let all = try await store.all()
        #expect(
            all.map(\.key) == old[3...].map(\.key) + [RecordKey(epoch: old[0].epoch, seq: 11)]
                + (stored + next).map(\.key))
        #expect(all.prefix(7).map(\.payload) == old[3...].map(\.payload))
        // Page by page, as the publisher reads.
        var paged: [RecordKey] = []
        while case let page = try await store.unacknowledged(after: paged.last, limit: 3), !page.isEmpty {
            paged += page.map(\.key)
        }
        #expect(paged == all.map(\.key))
        #expect(try await store.document("configuration") == [3])
        #expect(try await store.document("owner") == [2])
        #expect(await store.ledger() == ledger)
        #expect(try await store.contents().openTimelineEvents.count == 1)
        try await store.acknowledge([old[3].key, stored[0].key])
        try await store.flushAcknowledgements()
        try await store.close()
        #expect(folder.names == ["agent.db", "agent.db-numbers", "agent.db-wal"])
        let anew = try await open(folder.database)
        #expect(try await anew.contents().snapshot == [9])
        // From the later commit.
        #expect(try await anew.contents().journals == [[1, 2, 3]])
        #expect(try await anew.all().count == all.count - 2)
    }

    @Test("The numbers that a killed run has left out are in the ledger of the file", arguments: [false, true])
    func killedEarlier(isReservationKnown: Bool) async throws {
        let killed = try await open(folder.database)
        let old = try await killed.fill(10)
        try folder.copyDatabase(to: "killed.db")
        try await killed.close()
        for suffix in ["", "-wal", "-numbers"] {
            folder.put(folder.bytes(at: folder.file("killed.db") + suffix), at: folder.database + suffix)
        }
        let reservation = folder.bytes(at: folder.database + "-numbers")
        let store = try await inMemory()
        try await store.fill(3)
        // A folder that could not be reached did not take the epoch of this run either.
        if !isReservationKnown { folder.put(reservation, at: folder.database + "-numbers") }
        _ = try await store.reopenFile(now: second(101))
        try await store.moveIntoFile(snapshot: nil, now: second(101))
        let entry = try #require(await store.ledger().first { $0.epoch == old[0].epoch })
        #expect(entry.fromSeq == 11 && entry.toSeq >= 256 && entry.reason == .neverAssigned, "\(entry)")
        #expect(try await store.all().count == 13)
    }

    @Test("An empty database contributes nothing of an earlier run")
    func emptyFile() async throws {
        try await open(folder.database).close()
        let store = try await inMemory()
        #expect(try await store.reopenFile(now: second(101)) == nil)
        try await store.moveIntoFile(snapshot: nil, now: second(101))
        #expect(await !store.isWaitingForFile)
    }

    @Test("While the file is unusable the records stay in memory and the reason is reported")
    func stillUnusable() async throws {
        rmdir(folder.path)
        folder.put([], at: folder.path)
        let store = try await inMemory()
        let stored = try await store.fill(5)
        for number in 0..<3 {
            #expect(try await store.reopenFile(now: second(number)) == nil)
            await #expect(throws: StoreError.self) { try await store.moveIntoFile(snapshot: [1], now: second(number)) }
            #expect(await store.isWaitingForFile)
        }
        unlink(folder.path)
        #expect(try await store.reopenFile(now: second(9)) == nil)
        try await store.moveIntoFile(snapshot: [1], now: second(9))
        #expect(try await store.all() == stored)
    }

    @Test(
        "A disk that becomes full while the file is written leaves the earlier file unchanged",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"))
    func fullDisk() async throws {
        let disk = try SmallFileSystem(bytes: 1 << 20)
        let path = disk.folder.database
        let options = StoreOptions().with { $0.walPreallocationBytes = 64 << 10 }
        let earlier = try await open(path, options)
        let old = try await earlier.fill(10)
        try await earlier.close()
        let store = try await AgentStore.openInMemory(insteadOf: path, options: options, now: second(100)).store
        let stored = try await store.fill(100)
        #expect(try await store.reopenFile(now: second(101)) != nil)
        disk.fill()
        await #expect {
            try await store.moveIntoFile(snapshot: nil, now: second(101))
        } throws: { error in
            if case StoreError.diskFull(path, _) = error { true } else { false }
        }
        #expect(disk.folder.names == ["agent.db", "agent.db-numbers", "agent.db-wal", "ballast"])
        disk.release()
        #expect(try await store.reopenFile(now: second(102)) != nil)
        try await store.moveIntoFile(snapshot: nil, now: second(102))
        #expect(try await store.all() == old + stored)
    }

    @Test("A file that takes the path at the last moment is kept, and its new path is returned")
    func obstacle() async throws {
        let store = try await inMemory()
        let stored = try await store.fill(3)
        #expect(try await store.reopenFile(now: second(101)) == nil)
        folder.put(Array("mine".utf8), at: folder.database)
        let aside = try #require(try await store.moveIntoFile(snapshot: nil, now: second(101)))
        #expect(folder.bytes(at: aside) == Array("mine".utf8))
        #expect(try await store.all() == stored)
    }
}
