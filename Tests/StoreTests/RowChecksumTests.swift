import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

@Suite("Row checksums")
struct RowChecksumTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a closed database with rows in every table.
    private func makeDatabase() async throws {
        let store = try await open(folder.database)
        let key = TimelineKey(
            eventID: "trip", start: second(1), end: nil, lastUpdate: second(2), isFinal: false)
        let event = PendingRecord(kind: .timeline, timestamp: start, timeline: key) { _ in Array("{}".utf8) }
        _ = try await store.commit([record()], journal: [], snapshot: [1, 2, 3], now: start)
        _ = try await store.commit([record(), event], journal: [4, 5], now: start)
        try await store.saveDocument("tracking", [6, 7])
        try await store.saveDocument("zones", [8])
        _ = try await store.commit(dropped: [:], journal: [8, 9], now: start)
        _ = try await store.commit([record()], dropped: [.location: 3], journal: [10], now: start)
        try await store.beginEpoch(now: second(3))
        _ = try await store.commit([record(), event], journal: [11], now: start)
        _ = try await store.commit(journal: [12], now: start)
        try await store.close()
    }

    /// Changes of a row that keep SQLite's file structure valid.
    private static let changes = [
        "UPDATE outbox SET payload = CAST('{ }' AS BLOB) WHERE payload IS NOT NULL",
        "UPDATE outbox SET timestamp = timestamp + 1 WHERE payload IS NOT NULL",
        "UPDATE outbox SET kind = 1 - kind WHERE payload IS NOT NULL", "UPDATE outbox SET inputs = x'0101ff'",
        "UPDATE salvaged SET payload = CAST('{ }' AS BLOB)", "UPDATE salvaged SET seq = seq + 100",
        "UPDATE journal SET entries = zeroblob(960)", "UPDATE snapshot SET bytes = zeroblob(960)",
        "UPDATE ledger SET to_seq = to_seq + 1", "UPDATE document SET bytes = x'00'",
        "UPDATE document SET name = 'other' WHERE name = 'zones'", "UPDATE timeline SET payload = x'00'",
        "UPDATE timeline SET final = 1 - final", "UPDATE outbox SET checksum = NULL WHERE payload IS NOT NULL",
        "UPDATE outbox SET inputs_checksum = NULL", "UPDATE snapshot SET checksum = NULL",
        "UPDATE outbox SET checksum = x'' WHERE payload IS NOT NULL", "UPDATE outbox SET inputs_checksum = x''",
        "UPDATE salvaged SET checksum = x''", "UPDATE ledger SET checksum = x''", "UPDATE document SET checksum = x''",
        "UPDATE timeline SET checksum = x''",
        // One row that is not the first of its table.
        "UPDATE document SET bytes = x'00' WHERE name = (SELECT max(name) FROM document)",
        "UPDATE ledger SET count = count + 1 WHERE position = (SELECT max(position) FROM ledger)",
        "UPDATE snapshot SET bytes = zeroblob(960) WHERE part = (SELECT max(part) FROM snapshot)",
    ]

    @Test("A changed row is found at the opening, or in a large database by the scan", arguments: changes)
    func changed(sql: String) async throws {
        try await makeDatabase()
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute(sql)
            #expect(try connection.firstInteger("SELECT changes()") ?? 0 > 0)
        }
        let pristine = ["", "-wal", "-numbers"].map { ($0, folder.bytes(at: folder.database + $0)) }
        for isLarge in [false, true] {
            for (name, bytes) in pristine { folder.put(bytes, at: folder.database + name) }
            var options = StoreOptions()
            if isLarge { options.fullCheckMaximumBytes = 0 }
            let (store, report) = try await AgentStore.open(at: folder.database, options: options, now: second(9))
            let epoch = store.epochIdentity.epoch
            while try await store.advanceIntegrityScan() {}
            #expect(report.damage != nil || store.epochIdentity.epoch != epoch, "\(report)")
            try await store.close()
        }
    }

    @Test("Unchanged rows are not reported")
    func unchanged() async throws {
        try await makeDatabase()
        let store = try await open(folder.database)
        #expect(store.report.damage == nil && store.report.inconsistency == nil)
        while try await store.advanceIntegrityScan() {}
        try await store.close()
    }

    @Test(
        "An index with a missing entry is also found",
        arguments: ["timeline_time", "timeline_updated", "timeline_open", "sqlite_autoindex_timeline_1"])
    func index(name: String) async throws {
        try await makeDatabase()
        // The last byte but one of the entry, the event's number, is changed in the page of the index.
        let page = try SQLiteConnection(path: folder.database).firstInteger(
            "SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        var bytes = folder.bytes(at: folder.database)
        let start = Int(try #require(page) - 1) * SQLiteConnection.pageBytes
        let content = (start..<start + SQLiteConnection.pageBytes).last { bytes[$0] != 0 }
        bytes[try #require(content)] ^= 2
        folder.put(bytes, at: folder.database)
        let (_, report) = try await AgentStore.open(at: folder.database, now: second(9))
        #expect(report.damage != nil, "\(report)")
    }
}
