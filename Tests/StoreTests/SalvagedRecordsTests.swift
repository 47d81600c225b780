import OdographCivilTime
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

/// Records of a database that was set aside, in the new database.
@Suite("Salvaged records", .timeLimit(.minutes(30)))
struct SalvagedRecordsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A location in the form of the wire contract: the row replaces the number in the text by its own.
    private static func location(at time: Timestamp) -> PendingRecord {
        PendingRecord(kind: .location, timestamp: time) { identity in
            Array(
                """
                {"device_id":"van-7","location":{"activity":{"confidence":96,"type":"in_vehicle"},"age":0,\
                "coords":{"accuracy":4.2,"altitude":667,"heading":271.5,"latitude":40.4,"longitude":-3.7,"speed":13.9},\
                "epoch":\(identity.epoch),"is_moving":true,"mock":false,"odometer":120345.2,"odometer_error":18.1,\
                "sample":false,"seq":\(identity.seq),"timestamp":"\(time.iso8601)","uuid":"\(identity.uuid)"}}
                """.utf8)
        }
    }

    /// Makes a store that has salvaged locations, a second apart, with a timeline event after each tenth.
    private func salvaged(_ count: Int, _ options: StoreOptions = StoreOptions()) async throws -> (
        store: AgentStore, stored: [StoredRecord]
    ) {
        var store = try await open(folder.database)
        var stored: [StoredRecord] = []
        for number in 0..<count {
            let isEvent = number % 10 == 9
            let pending = isEvent ? record(.timeline, at: second(number)) : Self.location(at: second(number))
            stored += try await store.commit([pending], journal: [], now: second(number))
        }
        try await store.close()
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("PRAGMA user_version = 99")
        }
        store = try await open(folder.database, options, now: second(count))
        #expect(await store.counters.salvagedCount == count)
        return (store, stored)
    }

    @Test("Salvaged records are found by time, with their numbers and unchanged")
    func found() async throws {
        let (store, stored) = try await salvaged(40)
        #expect(try await store.all() == stored)
        let locations = stored.filter { $0.kind == .location }
        let payloads = try await store.locations(from: second(10), to: second(30), limit: 100)
        #expect(
            payloads.map { String(decoding: $0, as: UTF8.self) }
                == locations[9..<27].map { String(decoding: $0.payload, as: UTF8.self) })
    }

    @Test("Salvaged records before and after a new damage in the middle survive it")
    func damagedAgain() async throws {
        let (store, stored) = try await salvaged(1000)
        try await store.close()
        let middle = folder.bytes(at: folder.database).count / SQLiteConnection.pageBytes / 2
        try folder.spoil(middle..<middle + 2)
        let again = try await open(folder.database, now: second(2000))
        let kept = try await again.all()
        #expect(kept.count > 980 && kept.count < 1000)
        // The number of each one that is lost is in the ledger.
        let entries = await again.ledger().filter { $0.epoch == stored[0].epoch && $0.reason == .possiblyLost }
        let numbers = NumberSet(entries.map { $0.fromSeq...$0.toSeq })
        #expect(Set(stored).subtracting(kept).allSatisfy { numbers.contains($0.seq) }, "\(entries)")
        #expect(numbers.numberCount < 100)
        #expect(Set(kept).isSubset(of: stored))
        #expect(kept.contains(stored[0]) && kept.contains(stored[999]))
    }

    @Test("Salvaged records expire with a ledger entry for each number")
    func expired() async throws {
        let (store, stored) = try await salvaged(40)
        #expect(try await store.expireRecords(before: second(25), now: second(99)) == 25)
        #expect(try await store.all() == Array(stored[25...]))
        #expect(await store.counters.salvagedCount == 15)
        let ledger = await store.ledger()
        #expect(ledger.allSatisfy { $0.reason == .retention && $0.epoch == stored[0].epoch && $0.at == second(99) })
        #expect(ledger.filter { $0.kind == .timeline }.map(\.count).reduce(0, +) == 2)
        #expect(ledger.map(\.count).reduce(0, +) == 25)
        let numbers = Set(ledger.flatMap { $0.fromSeq...$0.toSeq })
        #expect(numbers == Set(stored[..<25].map(\.seq)))
    }

    @Test("Salvaged records make room for new ones, the oldest locations first")
    func quota() async throws {
        let small = StoreOptions(maximumBytes: 512 << 10)
        let (store, stored) = try await salvaged(2000, small)
        while await store.ledger().allSatisfy({ $0.epoch != stored[0].epoch || $0.reason != .quota }) {
            try await store.fill(10)
        }
        let ledger = await store.ledger().filter { $0.epoch == stored[0].epoch }
        let count = ledger.map(\.count).reduce(0, +)
        let left = Set(try await store.all().filter { $0.epoch == stored[0].epoch }.map(\.seq))
        let lost = stored.filter { !left.contains($0.seq) }
        #expect(lost == Array(stored.filter { $0.kind == .location }.prefix(count)))
        #expect(ledger.allSatisfy { $0.kind == .location && $0.reason == .quota })
        #expect(await store.counters.salvagedCount == 2000 - count)
    }
}
