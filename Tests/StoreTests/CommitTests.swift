import OdographHarness
import OdographCivilTime
import OdographWire
import Testing

@testable import OdographStore

@Suite("Commits, reads and acknowledgements")
struct CommitTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Records get numbers from 1 and identities in their payloads, and are read back unchanged")
    func committed() async throws {
        let store = try await open(folder.database)
        let stored = try await store.commit(
            [record(), record(.geofence), record(.timeline)], journal: [1], now: start)
        #expect(stored.map(\.seq) == [1, 2, 3])
        #expect(stored.allSatisfy { $0.epoch == store.epochIdentity.epoch && isIntact($0) })
        #expect(stored.map(\.kind) == [.location, .geofence, .timeline])
        #expect(try await store.all() == stored)
    }

    @Test("Sequence numbers continue after a restart, also when everything was acknowledged")
    func numbersSurvive() async throws {
        for round in 0..<4 {
            let store = try await open(folder.database)
            let stored = try await store.commit(records(3), journal: [], now: start)
            #expect(stored.map(\.seq) == [1, 2, 3].map { $0 + Int64(round) * 3 })
            try await store.acknowledge(stored.map(\.key))
            try await store.flushAcknowledgements()
            #expect(try await store.all().isEmpty)
            #expect(try await store.statistics().depth == 0)
        }
        let store = try await open(folder.database)
        #expect(try await store.all().isEmpty)
        #expect(try await store.statistics().newestSeq == 12)
        #expect(store.report.isNew == false)
    }

    @Test("An acknowledged record is not read again, and the next commit deletes it")
    func acknowledged() async throws {
        let store = try await open(folder.database)
        let stored = try await store.fill(6)
        try await store.acknowledge([stored[4].key, stored[1].key])
        #expect(await store.pendingAcknowledgementCount == 2)
        #expect(try await store.all().map(\.seq) == [1, 3, 4, 6])
        #expect(try await store.statistics().depth == 4)
        try await store.commit([record()], journal: [], now: start)
        #expect(await store.pendingAcknowledgementCount == 0)
        #expect(try await store.all().map(\.seq) == [1, 3, 4, 6, 7])
        #expect(try await store.statistics().depth == 5)
    }

    @Test("A full batch of acknowledgements does not wait for a commit")
    func batch() async throws {
        let store = try await open(folder.database, StoreOptions().with { $0.acknowledgementBatch = 10 })
        let stored = try await store.fill(30)
        try await store.acknowledge(stored[..<9].map(\.key))
        #expect(await store.pendingAcknowledgementCount == 9)
        try await store.acknowledge([stored[9].key])
        #expect(await store.pendingAcknowledgementCount == 0)
        #expect(try await store.statistics().depth == 20)
    }

    @Test("Repeated and unknown acknowledgements change nothing")
    func strangeAcknowledgements() async throws {
        let store = try await open(folder.database)
        let stored = try await store.fill(3)
        let strange = RecordKey(epoch: 7, seq: 1)
        for _ in 0..<2 {
            try await store.acknowledge([
                stored[2].key, stored[2].key, strange, RecordKey(epoch: stored[0].epoch, seq: 99),
            ])
            try await store.flushAcknowledgements()
        }
        #expect(try await store.all().map(\.seq) == [1, 2])
        #expect(try await store.statistics().depth == 2)
        #expect(try await store.commit([record()], journal: [], now: start).map(\.seq) == [4])
        #expect(try await store.statistics().depth == 3)
    }

    @Test(
        "Records that are not acknowledged survive any order of acknowledgements, commits and restarts",
        arguments: 0..<8)
    func anyOrder(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var store = try await open(folder.database)
        var live: Set<Int64> = []
        var newest: Int64 = 0
        for step in 0..<120 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let stored = try await store.commit(
                    records(Int.random(in: 0...3, using: &random), bytes: Int.random(in: 60...1400, using: &random)),
                    journal: [UInt8(step)], snapshot: step % 17 == 0 ? [9] : nil, now: start)
                for record in stored {
                    newest += 1
                    #expect(record.seq == newest)
                    live.insert(record.seq)
                }
            case 5..<8:
                let gone = live.filter { _ in Bool.random(using: &random) }
                try await store.acknowledge(gone.map { RecordKey(epoch: store.epochIdentity.epoch, seq: $0) })
                live.subtract(gone)
            case 8: try await store.flushAcknowledgements()
            default:
                try await store.flushAcknowledgements()
                store = try await reopened(&store)
            }
            #expect(try await store.all().map(\.seq) == live.sorted())
            #expect(try await store.statistics().depth == live.count)
        }
    }

    private func reopened(_ store: inout AgentStore) async throws -> AgentStore {
        // The file is released with the last reference to the store.
        store = try await AgentStore.openInMemory(now: start).store
        return try await open(folder.database)
    }

    @Test("Reading in pages returns each record once, within the limits")
    func portions() async throws {
        let store = try await open(folder.database)
        let stored = try await store.fill(100)
        var read: [StoredRecord] = []
        while case let more = try await store.unacknowledged(after: read.last?.key, limit: 7, maximumBytes: 1800),
            !more.isEmpty
        {
            #expect(more.count == 5 || read.count + more.count == 100)
            read += more
        }
        #expect(read == stored)
        #expect(try await store.unacknowledged(limit: 3, maximumBytes: 1).count == 1)
        #expect(try await store.unacknowledged(limit: 0).isEmpty)
    }

    @Test("A record has the identity of its epoch, seed and number")
    func identities() async throws {
        let store = try await open(folder.database)
        let copy = EpochIdentity(epoch: store.epochIdentity.epoch, seed: store.epochIdentity.seed)
        for record in try await store.fill(3) {
            let uuid = copy.identity(forSeq: record.seq).uuid.description
            #expect(String(decoding: record.payload, as: UTF8.self).contains(uuid))
        }
    }

    @Test("Locations of a half-open time range are returned in the order of their recording")
    func locations() async throws {
        let store = try await open(folder.database)
        try await store.commit(records(10) + [record(.geofence, at: second(5))], journal: [], now: start)
        let payloads = try await store.locations(from: second(2), to: second(7), limit: 3)
        let names = payloads.map { String(decoding: $0, as: UTF8.self).split(separator: " ").prefix(2) }
        #expect(names.map { $0.joined(separator: " ") } == (5...7).map { "\(store.epochIdentity.epoch) \($0)" })
    }

    @Test("Documents are saved, replaced and removed, and survive a restart")
    func documents() async throws {
        var store = try await open(folder.database)
        let large = [UInt8](repeating: 7, count: 200_000)
        try await store.saveDocument("configuration", [1])
        try await store.saveDocument("configuration", large)
        try await store.saveDocument("session", [])
        try await store.saveDocument("gone", [1])
        try await store.removeDocument("gone")
        store = try await reopened(&store)
        #expect(try await store.document("configuration") == large)
        #expect(try await store.document("session") == [])
        #expect(try await store.document("gone") == nil)
    }

    @Test("Opening a database that is in use fails and sets nothing aside")
    func inUse() async throws {
        let store = try await open(folder.database)
        try await store.fill(3)
        let before = folder.names
        await #expect(throws: StoreError.inUse(path: folder.database)) { try await open(folder.database) }
        #expect(folder.names == before)
        #expect(try await store.all().count == 3)
        try await store.fill(1)
    }

    @Test("A closed store releases the complete file to the next store and rejects further calls")
    func closed() async throws {
        let store = try await open(folder.database)
        let stored = try await store.fill(3)
        try await store.acknowledge([stored[0].key])
        try await store.close()
        try await store.close()
        let closed = StoreError.closed(path: folder.database)
        await #expect(throws: closed) { try await store.fill(1) }
        await #expect(throws: closed) { try await store.statistics() }
        let next = try await open(folder.database)
        #expect(try await next.all().map(\.seq) == [2, 3])
        try await next.fill(1)
        await #expect(throws: closed) { try await store.fill(1) }
    }

    @Test("Opening waits for a short-lived user of the database")
    func inUseForAMoment() async throws {
        try await open(folder.database).fill(3)
        var reader: AgentStore? = try await open(folder.database)
        let path = folder.database
        async let second = open(path, StoreOptions().with { $0.busyTimeoutMilliseconds = 600_000 })
        try await Task.sleep(for: .milliseconds(100))
        #expect(try await reader?.all().count == 3)
        reader = nil
        #expect(try await second.all().count == 3)
    }

    @Test("A store in memory behaves the same and creates no file")
    func inMemory() async throws {
        let store = try await AgentStore.openInMemory(now: start).store
        let stored = try await store.fill(3)
        try await store.acknowledge([stored[0].key])
        try await store.commit(journal: [], snapshot: [5], now: start)
        #expect(try await store.all().map(\.seq) == [2, 3])
        #expect(try await store.contents().snapshot == [5])
    }
}
