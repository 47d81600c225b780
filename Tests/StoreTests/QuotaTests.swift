import OdographHarness
import OdographCivilTime
import OdographWire
import Testing

@testable import OdographStore

@Suite("A full store gives up as little as possible and reports it")
struct QuotaTests {
    let folder: TemporaryFolder
    let small = StoreOptions(maximumBytes: 512 << 10)

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Locations are thinned, then dropped, events stay, the ledger explains each gap, and the file stays within its limit"
    )
    func bounded() async throws {
        var store = try await open(folder.database, small)
        var committed: Set<Int64> = []
        for step in 0..<400 {
            let kind: RecordKind = step % 10 == 0 ? .geofence : .location
            let stored = try await store.commit(records(10, kind), journal: [1, 2, 3], now: second(step))
            committed.formUnion(stored.map(\.seq))
            #expect(try await store.fileBytes() <= small.maximumBytes)
        }
        let kept = try await store.all()
        let ledger = await store.ledger()
        #expect(kept.allSatisfy(isIntact))
        #expect(kept.filter { $0.kind == .geofence }.count == 400)
        #expect(Set(ledger.map(\.reason)) == [.thinned, .quota])
        #expect(ledger.allSatisfy { $0.kind == .location && $0.count <= Int($0.toSeq - $0.fromSeq) + 1 })
        #expect(ledger.reduce(0) { $0 + $1.count } == committed.count - kept.count)
        let missing = committed.subtracting(kept.map(\.seq))
        #expect(missing.allSatisfy { seq in ledger.contains { ($0.fromSeq...$0.toSeq).contains(seq) } })
        #expect(try await store.statistics().depth == kept.count)
        #expect(try await store.statistics().givenUpCount == committed.count - kept.count)
        #expect(await store.givenUpForRoom == committed.count - kept.count)
        #expect(try await store.contents().journals.count == 400)

        store = try await AgentStore.openInMemory(now: start).store
        store = try await open(folder.database, small)
        #expect(await store.ledger() == ledger)
        #expect(try await store.all() == kept)
    }

    @Test("Thinning keeps every second location and frees pages")
    func thinned() async throws {
        let store = try await open(folder.database, small)
        while await store.ledger().isEmpty { try await store.fill(1) }
        let entry = try #require(await store.ledger().first)
        #expect(entry.reason == .thinned && entry.fromSeq == 2)
        let kept = try await store.all().prefix { $0.seq < entry.toSeq }.map(\.seq)
        #expect(kept == Array(stride(from: 1, to: entry.toSeq, by: 2)))
        // The freed pages have space for at least three quarters as many new records.
        let before = entry.count
        try await store.fill(before * 3 / 4, aCommit: 1)
        #expect(await store.ledger().allSatisfy { $0.reason == .thinned })
    }

    @Test("Events are dropped last, the oldest first")
    func eventsLast() async throws {
        let store = try await open(folder.database, small)
        for step in 0..<300 { try await store.commit(records(10, .timeline), journal: [], now: second(step)) }
        let kept = try await store.all().map(\.seq)
        let ledger = await store.ledger()
        #expect(ledger.count == 1)
        #expect(ledger.first?.kind == .timeline && ledger.first?.fromSeq == 1 && ledger.first?.reason == .quota)
        #expect(kept == Array(try #require(ledger.first).toSeq + 1...3000))
    }

    @Test("A record larger than the store is refused without a change, and the next record fits")
    func tooLarge() async throws {
        let store = try await open(folder.database, small)
        try await store.fill(20)
        await #expect(throws: StoreError.overQuota(path: folder.database, maximumBytes: small.maximumBytes)) {
            try await store.commit([record(bytes: 1 << 20)], journal: [], now: start)
        }
        #expect(try await store.all().count == 20)
        #expect(try await store.commit([record()], journal: [], now: start).map(\.seq) == [21])
    }

    @Test("Delivered records are not in the ledger")
    func deliveredIsNotGivenUp() async throws {
        let store = try await open(folder.database, StoreOptions().with { $0.acknowledgementBatch = .max })
        let stored = try await store.fill(10)
        try await store.acknowledge(stored[..<4].map(\.key))
        try await store.expireRecords(before: second(1000), now: second(2000))
        #expect(await store.ledger().map(\.count) == [5])
        #expect(try await store.all().map(\.seq) == [10])
    }

    @Test("Expired records are in the ledger, and the newest record stays")
    func expired() async throws {
        let store = try await open(folder.database)
        try await store.commit(records(600) + records(3, .timeline), journal: [7], now: start)
        #expect(try await store.expireRecords(before: second(300), now: second(999)) == 302)
        let ledger = await store.ledger()
        #expect(ledger.map(\.reason) == [.retention, .retention])
        #expect(ledger.map(\.count) == [300, 2])
        #expect(ledger.map(\.kind) == [.location, .timeline])
        #expect(ledger.allSatisfy { $0.at == second(999) })
        #expect(try await store.all().map(\.seq) == Array(301...600) + [603])
        #expect(try await store.contents().journals == [[7]])
    }

    @Test("The ledger stays short and keeps its total count", arguments: 0..<10)
    func shortLedger(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ledger = Ledger()
        var sum = 0
        for _ in 0..<500 {
            let from = Int64.random(in: 1...1_000_000, using: &random)
            let count = Int.random(in: 1...50, using: &random)
            let reason = LedgerEntry.Reason.allCases.randomElement(using: &random) ?? .quota
            sum += reason.isGivenUp ? count : 0
            ledger.add(
                LedgerEntry(
                    epoch: Int64.random(in: 1...3, using: &random), fromSeq: from, toSeq: from + Int64(count) * 2,
                    count: count,
                    kind: RecordKind.allCases.randomElement(using: &random),
                    reason: reason, at: start))
            #expect(ledger.entries.count <= 64)
            #expect(ledger.givenUpCount == sum)
        }
    }

    @Test("If no two ledger entries can be merged, the oldest is dropped")
    func fullLedger() {
        var ledger = Ledger()
        for epoch in 1...70 as ClosedRange<Int64> {
            ledger.add(LedgerEntry(epoch: epoch, fromSeq: 1, toSeq: 9, count: 5, kind: nil, reason: .quota, at: start))
        }
        #expect(ledger.entries.map(\.epoch) == Array(7...70))
    }
}
