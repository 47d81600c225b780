import OdographCivilTime
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("Receipts about records that were not published")
struct PublishedTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ name: String = "agent.db") async throws -> AgentStore {
        let store = try await AgentStore.open(at: folder.file(name), now: start).store
        try await store.configureDelivery(DeliveryPolicy(recorders: ["main"], keepSeconds: 0, codec: .text))
        return store
    }

    private func receipt(
        _ revision: Int64, _ epoch: Int64, through last: Int64, conflicts: Int = 0
    ) -> RecorderReceipt {
        RecorderReceipt(
            recorder: "main",
            receipt: Receipt(
                databaseID: "a", revision: revision, interval: 600,
                epochs: [.init(epoch: epoch, through: last, safe: last)], conflicts: conflicts))
    }

    @Test("A receipt deletes published records only, also after a restart and in a copy of the database")
    func deletion() async throws {
        var store = try await open()
        let epoch = store.epochIdentity.epoch
        try await store.fill(10)
        try await store.notePublished((Int64(1)...6).map { RecordKey(epoch: epoch, seq: $0) })
        // Nothing is old enough to be deleted, so the numbers are saved.
        _ = try await store.apply(receipt(1, epoch, through: 0), now: start)
        try await store.close()
        store = try await open()
        #expect(await store.published(in: epoch).closedRanges == [1...6])
        _ = try await store.apply(receipt(2, epoch, through: 10), now: second(99))
        #expect(try await store.all().map(\.seq) == Array(7...10))
        try await store.notePublished([RecordKey(epoch: epoch, seq: 8)])
        _ = try await store.apply(receipt(3, epoch, through: 10), now: second(99))
        #expect(try await store.all().map(\.seq) == [7, 9, 10])
    }

    @Test("Records of an earlier epoch are deleted only if they were published")
    func salvaged() async throws {
        let store = try await open()
        let epoch = store.epochIdentity.epoch
        try await store.fill(4)
        try await store.notePublished([2, 3].map { RecordKey(epoch: epoch, seq: $0) })
        try await store.beginEpoch(now: start)
        _ = try await store.apply(receipt(1, epoch, through: 4), now: second(99))
        func kept() async throws -> [Int64] { try await store.all().map(\.key).filter { $0.epoch == epoch }.map(\.seq) }
        #expect(try await kept() == [1, 4])
        // Records that are deleted need no note any more.
        #expect(await store.published(in: epoch).isEmpty)
        try await store.notePublished([1, 4].map { RecordKey(epoch: epoch, seq: $0) })
        _ = try await store.apply(receipt(2, epoch, through: 4), now: second(99))
        #expect(try await kept() == [])
    }

    @Test("The newest record of an epoch is deleted when the epoch ends, without a further receipt")
    func newestOfEndedEpoch() async throws {
        let store = try await open()
        let epoch = store.epochIdentity.epoch
        try await store.fill(3)
        try await store.notePublished((Int64(1)...3).map { RecordKey(epoch: epoch, seq: $0) })
        _ = try await store.apply(receipt(1, epoch, through: 3), now: second(99))
        #expect(try await store.all().map(\.key) == [RecordKey(epoch: epoch, seq: 3)])
        try await store.beginEpoch(now: second(99))
        // What is left names the numbers that were reserved and not used.
        let left = try await store.all()
        #expect(left.map(\.kind) == [.givenUp])
        #expect(left.map(\.key) == [RecordKey(epoch: store.epochIdentity.epoch, seq: 1)])
    }

    @Test("Numbers without a record join the saved ranges, and a kept record that was not published separates them")
    func savedRanges() async throws {
        let store = try await open()
        let epoch = store.epochIdentity.epoch
        try await store.fill(9)
        try await store.notePublished([1, 2, 3, 5, 6].map { RecordKey(epoch: epoch, seq: $0) })
        _ = try await store.apply(receipt(1, epoch, through: 0), now: second(99))
        #expect(try await store.document("published") == Array("\(epoch) 1-3 5-6\n".utf8))
        try await store.notePublished([RecordKey(epoch: epoch, seq: 4)])
        _ = try await store.apply(receipt(2, epoch, through: 0), now: second(99))
        #expect(try await store.document("published") == Array("\(epoch) 1-6\n".utf8))
        // The records up to 6 are deleted, and the next one that is published comes after two that are not.
        _ = try await store.apply(receipt(3, epoch, through: 6), now: second(99))
        try await store.notePublished([RecordKey(epoch: epoch, seq: 9)])
        try await store.close()
        let next = try await open()
        #expect(try await next.all().map(\.seq) == [7, 8, 9])
        #expect(await next.published(in: epoch).closedRanges == [9...9])
    }

    @Test("After a new epoch the depth has only the records that a store does not cover, also over a restart")
    func depthOfEpochs() async throws {
        var store = try await open()
        let epoch = store.epochIdentity.epoch
        try await store.fill(41)
        try await store.notePublished((Int64(1)...41).map { RecordKey(epoch: epoch, seq: $0) })
        try await store.beginEpoch(now: start)
        let present = store.epochIdentity.epoch
        #expect(try await store.statistics().depth == 41)
        func receipt(_ revision: Int64, _ former: Int64, _ last: Int64) -> RecorderReceipt {
            RecorderReceipt(
                recorder: "main",
                receipt: Receipt(
                    databaseID: "a", revision: revision, interval: 600,
                    epochs: [
                        .init(epoch: epoch, through: former, safe: former),
                        .init(epoch: present, through: last, safe: last),
                    ]))
        }
        // They are kept for a while although the receipt covers them. A record names the other reserved numbers.
        _ = try await store.apply(receipt(1, 40, 0), now: start)
        #expect(try await store.statistics().depth == 2)
        _ = try await store.apply(receipt(2, 41, 1), now: start)
        #expect(try await store.all().count == 42)
        let empty = try await store.statistics()
        #expect(empty.depth == 0 && empty.oldest == nil)
        try await store.close()
        store = try await open()
        _ = try await store.apply(receipt(3, 41, 1), now: start)
        #expect(try await store.statistics().depth == 0)
        try await store.fill(2)
        #expect(try await store.statistics().depth == 2)
    }

    @Test("After a kill at most as many records as are noted at a time count as not published, without any receipt")
    func killed() async throws {
        let options = StoreOptions().with { $0.acknowledgementBatch = 50 }
        let store = try await AgentStore.open(at: folder.file("agent.db"), options: options, now: start).store
        try await store.configureDelivery(DeliveryPolicy(recorders: ["main"], keepSeconds: 0, codec: .text))
        let epoch = store.epochIdentity.epoch
        try await store.fill(220)
        for (index, seq) in (Int64(1)...219).enumerated() {
            try await store.notePublished([RecordKey(epoch: epoch, seq: seq)])
            #expect(await store.pendingAcknowledgementCount == (index + 1) % 50)
        }
        try folder.copyDatabase(to: "killed.db")
        let next = try await open("killed.db")
        #expect(await next.published(in: epoch).closedRanges == [1...200])
        #expect(try await next.all().count == 220)
    }

    @Test("A damaged document means that records count as not published")
    func damagedDocument() {
        let damaged = PublishedNumbers(document: Array("x 1-2\n7 -2 2-1 x-3 5\n\n8 9-9 0-7\n7 1-3 5-6".utf8))
        #expect(damaged.document == Array("7 1-3 5-6\n8 9-9\n".utf8))
        #expect(KnownConflicts(document: Array("# x\nmain\nmain y\n".utf8)) == KnownConflicts())
    }

    @Test("A greater count of conflicts shows that another machine uses the numbers")
    func conflicts() async throws {
        var store = try await open()
        let epoch = store.epochIdentity.epoch
        func isNew(_ revision: Int64, conflicts: Int, at time: Double) async throws -> Bool {
            try await store.apply(
                receipt(revision, epoch, through: 0, conflicts: conflicts), now: start.advanced(bySeconds: time)
            ).hasNewConflicts
        }
        // The conflicts of the first receipt can be from a time long before.
        #expect(try await !isNew(1, conflicts: 4, at: 0))
        #expect(try await !isNew(2, conflicts: 4, at: 1))
        #expect(try await isNew(3, conflicts: 5, at: 2))
        try await store.close()
        store = try await open()
        #expect(try await !isNew(4, conflicts: 5, at: 3))
        #expect(try await isNew(5, conflicts: 90, at: 4))
        #expect(try await !isNew(6, conflicts: 90, at: 90_000))
    }
}
