import OdographCivilTime
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("Records that get other numbers")
struct RenumberingTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func payload(_ identity: RecordIdentity) -> RecordPayload {
        RecordPayload(first: UInt8(ascii: "{"), rest: Array("\(identity.epoch) \(identity.seq)".utf8))
    }

    private static func renumbered(_ record: StoredRecord, _ identity: RecordIdentity) -> RecordPayload? {
        payload(identity)
    }

    /// Returns a store with published records and then others that were never announced.
    private func filled(published: Int, waiting: Int) async throws -> AgentStore {
        let store = try await open(folder.database)
        for (count, isPublished) in [(published, true), (waiting, false)] {
            let records = (0..<count).map { _ in
                PendingRecord(kind: .location, timestamp: start, encode: Self.payload)
            }
            try await store.commit(records, journal: [], now: start)
            guard isPublished else { continue }
            _ = try await store.announceNumbers()
            await store.permitAnnouncedNumbers()
        }
        return store
    }

    @Test(
        "After a kill in the middle, the next run gives the rest other numbers before it publishes one",
        arguments: [0, 1, 255, 256, 400, 599])
    func killed(at kill: Int) async throws {
        let store = try await filled(published: 300, waiting: 900)
        let former = store.epochIdentity.epoch
        let announced = await store.announcement.through
        var count = 0
        let (folder, image) = (folder, "killed.db")
        let hasBegun = try await store.renewEpoch(othersThrough: 5000, now: start) { record, identity in
            // What a kill leaves on the disk at this moment.
            if count == kill { try? folder.copyDatabase(to: image) }
            count += 1
            return Self.renumbered(record, identity)
        }
        #expect(hasBegun && count == 1200 - Int(announced))
        #expect(try await !store.renumberRecords(now: start, payload: Self.renumbered))

        let next = try await open(folder.file(image))
        let left = try await next.unacknowledged(limit: 5000).filter { $0.epoch == former && $0.seq > announced }
        #expect(left.count == 1200 - Int(announced) - kill / 256 * 256)
        let before = Set(try await next.unacknowledged(limit: 5000).map(\.key))
        let gap = await next.ledger().filter { $0.epoch == next.epochIdentity.epoch }.map(\.toSeq).max() ?? 0
        #expect(gap >= 256)
        #expect(try await next.renumberRecords(now: start, payload: Self.renumbered))
        let records = try await next.unacknowledged(limit: 5000)
        #expect(records.count == 1200)
        #expect(Set(records.map(\.key)).count == 1200)
        #expect(records.allSatisfy { $0.epoch == next.epochIdentity.epoch || $0.seq <= announced })
        #expect(records.allSatisfy { $0.payload == Array("{\($0.epoch) \($0.seq)".utf8) })
        // What the killed run has reserved is a gap.
        #expect(records.allSatisfy { before.contains($0.key) || $0.seq > gap })
        #expect(try await !next.renumberRecords(now: start, payload: Self.renumbered))
    }

    @Test(
        "After a kill before the new epoch has begun, the next run begins it, with the entry for the shared numbers",
        arguments: [false, true])
    func killedBefore(isReserved: Bool) async throws {
        var store = try await filled(published: 300, waiting: 20)
        let former = store.epochIdentity.epoch
        let task = Renumbering(epoch: former, published: 310, through: 5000, known: 0)
        try await store.saveDocument(Renumbering.documentName, task.document)
        try folder.copyDatabase(to: "killed.db")
        let image = folder.file("killed.db")
        if isReserved {
            var file = SequenceReservationFile(besideDatabase: image, on: .system)
            _ = try file.load()
            try file.save(.initial(EpochIdentity(epoch: former + 1, seed: .random())))
        }
        try await store.close()
        store = try await open(image)
        #expect((store.epochIdentity.epoch == former) == !isReserved)
        #expect(try await store.renumberRecords(now: start, payload: Self.renumbered))
        let epoch = store.epochIdentity.epoch
        #expect(epoch > former)
        let keys = try await store.unacknowledged(limit: 999).map(\.key)
        #expect(keys.filter { $0.epoch == former }.map(\.seq) == Array(1...310))
        #expect(keys.filter { $0.epoch == epoch }.count == 10)
        let shared = await store.ledger().filter { $0.epoch == former && $0.reason == .possiblyLost }
        #expect(shared.map(\.fromSeq) == [311] && shared.map(\.toSeq) == [5000])
        #expect(try await !store.renumberRecords(now: start, payload: Self.renumbered))
    }

    @Test("A document that is not readable is no task")
    func document() {
        let task = Renumbering(epoch: 7, published: 9, through: 300, known: 0)
        #expect(Renumbering(document: task.document) == task)
        for text in ["", "7", "7 9 1", "7 9 1 0 0", "a 9 1 0"] {
            #expect(Renumbering(document: Array(text.utf8)) == nil)
        }
    }

    @Test("A run that only repeats what the broker knows announces more before its first new record")
    func announcedAhead() async throws {
        var store = try await filled(published: 10, waiting: 0)
        // A commit that failed had reserved more, and it was announced.
        let known = await store.announcement
        try await store.close()
        store = try await open(folder.database)
        let record = PendingRecord(kind: .location, timestamp: start, encode: Self.payload)
        try await store.commit([record], journal: [], now: start)
        let next = try await store.announceNumbers()
        #expect(next.through > known.through && next.id != known.id)
    }
}
