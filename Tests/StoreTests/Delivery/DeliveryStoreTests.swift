import OdographCivilTime
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

@Suite("A store with delivery by receipts")
struct DeliveryStoreTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ options: StoreOptions = StoreOptions(), keepSeconds: Double = 0
    ) async throws -> AgentStore {
        let store = try await AgentStore.open(at: folder.database, options: options, now: start).store
        try await store.configureDelivery(DeliveryPolicy(recorders: ["main"], keepSeconds: keepSeconds, codec: .text))
        return store
    }

    private func receipt(_ revision: Int64, _ epochs: [Receipt.Epoch]) -> RecorderReceipt {
        RecorderReceipt(
            recorder: "main", receipt: Receipt(databaseID: "a", revision: revision, interval: 600, epochs: epochs))
    }

    /// Notes that the broker has acknowledged all kept records.
    private func publish(_ store: AgentStore) async throws {
        try await store.notePublished(store.all().map(\.key))
    }

    private func names(_ store: AgentStore) async throws -> [GivenUpNumbers] {
        try await store.all().filter { $0.kind == .givenUp }.flatMap { GivenUpCodec.text.decode($0.payload) }
    }

    @Test("Safe records are deleted when they are old enough, the newest row stays, and the journal survives")
    func deletion() async throws {
        let store = try await open(keepSeconds: 10)
        let epoch = store.epochIdentity.epoch
        for step in 0..<20 {
            try await store.commit([record(at: second(step))], journal: [UInt8(step)], now: second(step))
        }
        try await publish(store)
        _ = try await store.apply(receipt(1, [.init(epoch: epoch, through: 20, safe: 15)]), now: second(20))
        #expect(try await store.all().map(\.seq) == Array(11...20))
        try await store.settleDelivery(now: second(60))
        #expect(try await store.all().map(\.seq) == Array(16...20))
        _ = try await store.apply(receipt(2, [.init(epoch: epoch, through: 20, safe: 20)]), now: second(60))
        #expect(try await store.all().map(\.seq) == [20])
        #expect(try await store.contents().journals.count == 20)
        #expect(try await store.statistics().depth == 0)
    }

    /// The clock was wrong for a while. In an earlier epoch the records are in another table.
    @Test(
        "Dates in the future delay no deletion of safe records by the clock, and none of these is given up",
        arguments: [false, true], [false, true])
    func future(isOfEarlierEpoch: Bool, isByRetention: Bool) async throws {
        let store = try await open(keepSeconds: 1_000_000)
        let epoch = store.epochIdentity.epoch
        let dates = Array(repeating: second(90_000_000), count: 1100) + (0..<20).map { second($0) }
        try await store.commit(dates.map { record(at: $0) }, journal: [], now: second(20))
        try await publish(store)
        if isOfEarlierEpoch {
            #expect(try await store.renewEpoch(othersThrough: 0, now: second(21)) { _, _ in nil })
            try await store.commit([record(at: second(150))], journal: [], now: second(150))
        }
        _ = try await store.apply(receipt(1, [.init(epoch: epoch, through: 1120, safe: 1120)]), now: second(160))
        if isByRetention {
            try await store.expireRecords(before: second(100), now: second(200))
        } else {
            try await store.settleDelivery(now: second(1_000_100))
        }
        #expect(try await store.all().filter { $0.epoch == epoch && $0.timestamp < second(100) }.count <= 1)
        #expect(await store.ledger().allSatisfy { $0.reason != .retention })
        #expect(try await store.all().count { $0.timestamp == second(90_000_000) } == 1100)
    }

    @Test("A single expired record is named, although naming it frees no row")
    func singleExpired() async throws {
        let store = try await open()
        try await store.commit([record(at: second(0))], journal: [1], now: second(0))
        try await store.commit([record(at: second(100))], journal: [2], now: second(100))
        try await store.expireRecords(before: second(50), now: second(100))
        let epoch = store.epochIdentity.epoch
        #expect(try await names(store) == [GivenUpNumbers(epoch: epoch, numbers: 1...1, reason: .ledger(.retention))])
        #expect(try await store.all().map(\.seq) == [2, 3])
    }

    @Test("Safe records that expire are deleted without a name, although they are to be kept longer")
    func expiredAndSafe() async throws {
        let store = try await open(keepSeconds: 1000)
        let epoch = store.epochIdentity.epoch
        for step in 0..<20 {
            try await store.commit([record(at: second(step))], journal: [UInt8(step)], now: second(step))
        }
        try await publish(store)
        _ = try await store.apply(receipt(1, [.init(epoch: epoch, through: 20, safe: 5)]), now: second(20))
        #expect(try await store.expireRecords(before: second(8), now: second(20)) == 8)
        #expect(try await names(store) == [GivenUpNumbers(epoch: epoch, numbers: 6...8, reason: .ledger(.retention))])
    }

    @Test("A receipt older than the one by which rows were deleted changes nothing, also after a restart")
    func revisions() async throws {
        var store = try await open()
        let epoch = store.epochIdentity.epoch
        try await store.fill(10)
        try await publish(store)
        #expect(
            try await store.apply(receipt(5, [.init(epoch: epoch, through: 10, safe: 4)]), now: second(99)).isAccepted)
        try await store.close()
        store = try await open()
        #expect(try await !store.apply(receipt(4, []), now: start).isAccepted)
        #expect(try await names(store).isEmpty)
        #expect(
            try await store.apply(receipt(5, [.init(epoch: epoch, through: 10, safe: 4)]), now: second(99)).isAccepted)
        #expect(try await store.apply(receipt(6, [.init(epoch: epoch, through: 10)]), now: start).isAccepted)
    }

    @Test("What a store misses and the agent does not keep is named once, also of earlier epochs")
    func naming() async throws {
        let store = try await open()
        let first = store.epochIdentity.epoch
        try await store.fill(10)
        try await publish(store)
        _ = try await store.apply(receipt(1, [.init(epoch: first, through: 10, safe: 4)]), now: second(99))
        try await store.beginEpoch(now: second(1))
        let second = store.epochIdentity.epoch
        try await store.fill(3)
        _ = try await store.apply(receipt(2, []), now: start)
        #expect(
            try await names(store) == [
                // The rest of the reserved block, named when the epoch ended.
                GivenUpNumbers(epoch: first, numbers: 11...265, reason: .ledger(.neverAssigned)),
                GivenUpNumbers(epoch: first, numbers: 1...4, reason: .delivered),
            ])
        let count = try await store.all().count
        _ = try await store.apply(receipt(3, []), now: start)
        #expect(try await store.all().count == count)
        let findings = try await store.apply(
            receipt(4, [.init(epoch: 77, through: 1), .init(epoch: second, through: 900)]), now: start)
        #expect(findings == ReceiptFindings(isAccepted: true, foreignEpochs: [77], foreignNumber: 900))
    }

    @Test("Epochs with numbers that this agent has not made are reported once, also over a restart")
    func foreignEpochs() async throws {
        var store = try await open()
        let first = store.epochIdentity.epoch
        try await store.fill(10)
        try await store.beginEpoch(now: second(1))
        func findings(_ revision: Int64, _ epochs: (epoch: Int64, through: Int64)...) async throws -> ReceiptFindings {
            let statements = epochs.map { Receipt.Epoch(epoch: $0.epoch, through: $0.through) }
            return try await store.apply(receipt(revision, statements), now: start)
        }
        // All reserved numbers of an own epoch are own ones.
        #expect(try await findings(1, (first, 265)) == ReceiptFindings(isAccepted: true))
        #expect(try await findings(2, (77, 0), (first, 265)).foreignEpochs == [77])
        #expect(try await findings(3, (77, 9), (first, 266)).foreignEpochs == [first])
        #expect(try await findings(4, (77, 9), (first, 300)).foreignEpochs == [])
        try await store.close()
        store = try await open()
        #expect(try await findings(5, (77, 9), (78, 1)).foreignEpochs == [78])
    }

    @Test("The gap after a kill is named in the transaction of the next record")
    func gap() async throws {
        let disk = try SimulatedDisk()
        var options = StoreOptions().with { $0.walPreallocationBytes = 64 << 10 }
        options.files = disk.files
        let before = try await AgentStore.open(at: SimulatedAgent.path, options: options, now: start).store
        try await before.fill(3)
        options.files = try disk.afterKill().files
        let store = try await AgentStore.open(at: SimulatedAgent.path, options: options, now: start).store
        try await store.configureDelivery(DeliveryPolicy(recorders: ["main"], keepSeconds: 0, codec: .text))
        let new = try await store.commit([record()], dropped: [.location: 2], journal: [], now: start)
        #expect(new.map(\.seq) == [262])
        let epoch = store.epochIdentity.epoch
        #expect(
            try await names(store) == [
                GivenUpNumbers(epoch: epoch, numbers: 4...258, reason: .ledger(.neverAssigned)),
                GivenUpNumbers(epoch: epoch, numbers: 259...260, reason: .ledger(.notStored)),
            ])
    }

    @Test("Without a recorder the file stays within its limit, and given-up records name each number that is gone")
    func quota() async throws {
        let options = StoreOptions(maximumBytes: 512 << 10)
        let store = try await open(options)
        for step in 0..<400 {
            let kind: RecordKind = step % 10 == 0 ? .geofence : .location
            try await store.commit(records(10, kind), journal: [1, 2, 3], now: second(step))
            #expect(try await store.fileBytes() <= options.maximumBytes)
        }
        let records = try await store.all()
        let newest = try #require(records.last?.seq)
        var known = NumberSet(records.map { $0.seq...$0.seq })
        for range in try await names(store) {
            #expect(known.intersection(NumberSet([range.numbers])).isEmpty)
            known.insert(range.numbers)
        }
        #expect(known == NumberSet(through: newest))
        #expect(records.filter { $0.kind == .geofence }.count == 400)
        #expect(records.filter { $0.kind == .givenUp }.count < 5)
        #expect(await store.ledger().allSatisfy { $0.reason == .quota })
    }

}
