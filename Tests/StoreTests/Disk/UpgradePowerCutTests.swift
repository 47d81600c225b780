import Testing

@testable import OdographStore

@Suite("Power cuts during the upgrade of a database")
struct UpgradePowerCutTests {
    private static let path = SimulatedAgent.path
    private static let older = OlderDatabase(
        deleted: Array("latitude 48.1371079".utf8), records: (1...5).map { Array("{\"n\":\($0)}".utf8) },
        snapshot: TrackerStateTables.Snapshot(ordinal: 2, seq: 0, bytes: Array("state".utf8)))

    /// Returns the contents of the store on a disk, and the record that is then committed.
    private func life(
        on disk: SimulatedDisk, now: Int
    ) async throws -> (records: [StoredRecord], snapshot: [UInt8]?, report: OpeningReport, new: StoredRecord) {
        var options = StoreOptions(walPreallocationBytes: 64 << 10)
        options.files = disk.files
        let (store, report) = try await AgentStore.open(at: Self.path, options: options, now: second(now))
        let records = try await store.all()
        let snapshot = try await store.contents().snapshot
        let new = try await store.commit([record(at: second(now))], journal: [], now: second(now))
        return (records, snapshot, report, try #require(new.first))
    }

    @Test(
        "The records are kept, no number has two contents, and the next start erases the deleted contents",
        arguments: SimulatedDisk.Loss.allCases)
    func cut(loss: SimulatedDisk.Loss) async throws {
        let written = try SimulatedDisk()
        try written.makeFolder("/data")
        try Self.older.write(to: Self.path, vfs: written.files.vfs)
        let disk = try written.afterCut(at: written.logCount, losing: .nothing, seed: 0)
        let before = try await life(on: disk, now: 100)
        #expect(before.records.map(\.payload) == Self.older.records)
        let end = disk.logCount
        // Each kind of loss uses other positions, and all use the last.
        for position in Array(stride(from: Int(loss.rawValue), to: end, by: 3)) + [end] {
            let rest = try disk.afterCut(at: position, losing: loss, seed: UInt64(position))
            let after = try await life(on: rest, now: 200)
            let what = Comment("cut after \(position) of \(end), losing \(loss): \(disk.log(upTo: position))")
            #expect(Array(after.records.prefix(5)) == before.records, what)
            #expect(after.snapshot == Self.older.snapshot.bytes, what)
            #expect(after.report.damage == nil && after.report.inconsistency == nil, what)
            #expect(position < end || after.records.count == 6, what)
            // A record whose commit did not return was not published. It may be lost, and its number may be reused.
            #expect(after.records.dropFirst(5).allSatisfy { $0 == before.new }, what)
            #expect(!after.records.map(\.key).contains(after.new.key), what)
            for path in [Self.path, Self.path + "-wal"] {
                #expect(!((try? rest.read(path)) ?? []).contains(Self.older.deleted), what)
            }
        }
    }
}
