import OdographCivilTime
import OdographHarness
import OdographWire
import Testing

@testable import OdographStore

@Suite("Announcements of numbers")
struct NumberAnnouncementTests {
    let folder: TemporaryFolder
    private static let now = Timestamp(millisecondsSinceEpoch: 1_780_000_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func open(_ path: String) async throws -> AgentStore {
        try await AgentStore.open(at: path, now: Self.now).store
    }

    private static func record(_ text: String) -> PendingRecord {
        PendingRecord(kind: .location, timestamp: now) { identity in
            RecordPayload(first: UInt8(ascii: "{"), rest: Array("\(identity.epoch) \(identity.seq) \(text)".utf8))
        }
    }

    private static func renumbered(_ record: StoredRecord, _ identity: RecordIdentity) -> RecordPayload? {
        let text = String(decoding: record.payload, as: UTF8.self).split(separator: " ").last.map(String.init) ?? ""
        return self.record(text).encode(identity)
    }

    private static func texts(_ store: AgentStore) async throws -> [String] {
        try await store.unacknowledged(limit: 10_000).map { String(decoding: $0.payload.dropFirst(), as: UTF8.self) }
    }

    @Test(
        "Only another announcement of the same epoch, or the first of a later one, is evidence",
        arguments: [
            (7, 512, 9, true, .consistent),
            (7, 256, 8, true, .consistent),
            (7, 513, 9, true, .sharedEpoch(through: 513)),
            (7, 512, 8, false, .sharedEpoch(through: 512)),
            (6, 9999, 1, true, .consistent),
            (8, 1, 1, true, .laterEpoch(8)),
            (8, 1, 1, false, .consistent),
            (5, 1, 1, true, .consistent),
            (1 << 52, 1, 1, true, .laterEpoch(1 << 52)),
            ((1 << 53) - 1, 1, 1, true, .consistent),
        ] as [(Int64, Int64, UInt64, Bool, NumberAnnouncement.Finding)])
    func finding(
        epoch: Int64, through: Int64, id: UInt64, isFirst: Bool, expected: NumberAnnouncement.Finding
    ) {
        let own = NumberAnnouncement(epoch: 7, through: 512, id: 9)
        let other = NumberAnnouncement(epoch: epoch, through: through, id: id)
        #expect(own.finding(about: other, ownEpochs: [5], isFirst: isFirst) == expected)
    }

    @Test("An epoch that this disk has used is no evidence, however great it is")
    func ownEpoch() {
        let own = NumberAnnouncement(epoch: 7, through: 512, id: 9)
        let other = NumberAnnouncement(epoch: 8, through: 1, id: 1)
        #expect(own.finding(about: other, ownEpochs: [8], isFirst: true) == .consistent)
    }

    @Test("Numbers are announced before they are used, and the same announcement is made again after each end")
    func announced() async throws {
        var store = try await open(folder.database)
        #expect(try await store.announceNumbers().through == 0)
        var last = try await store.announceNumbers()
        for round in 0..<4 {
            for index in 0..<200 {
                try await store.commit([Self.record("\(round)-\(index)")], journal: [], now: Self.now)
            }
            let next = try await store.announceNumbers()
            #expect(next.through >= Int64(200 * (round + 1)) && next.through > last.through && next.id != last.id)
            #expect(try await store.announceNumbers() == next)
            #expect(try await store.finding(about: last, isFirst: true) == .consistent)
            // A proper end releases reserved numbers, but not the announcement.
            try await store.close()
            store = try await open(folder.database)
            #expect(await store.announcement == next)
            #expect(try await store.finding(about: next, isFirst: true) == .consistent)
            last = next
        }
    }

    @Test("A store in memory announces whole blocks, and with them each number that it has used")
    func memory() async throws {
        let store = try await AgentStore.openInMemory(now: Self.now).store
        #expect(await store.announcement.through == 0)
        for (records, through) in [(1, 256), (255, 256), (1, 512)] {
            for index in 0..<records {
                try await store.commit([Self.record("\(index)")], journal: [], now: Self.now)
            }
            #expect(try await store.announceNumbers().through == Int64(through))
        }
    }

    @Test("After a restart, the announcement of before permits no new number, because a copy of the disk has it, too")
    func restarted() async throws {
        var store = try await open(folder.database)
        try await store.commit([Self.record("a")], journal: [], now: Self.now)
        let first = try await store.announceNumbers()
        await store.permitAnnouncedNumbers()
        try await store.close()
        store = try await open(folder.database)
        // Only the record of before waits.
        #expect(try await store.announceNumbers() == first)
        await store.permitAnnouncedNumbers()
        try await store.commit([Self.record("b")], journal: [], now: Self.now)
        let next = try await store.announceNumbers()
        #expect(next.through > first.through && next.id != first.id)
    }

    @Test(
        "With a disk that was put back, records that nobody has seen get numbers of a new epoch",
        arguments: [false, true])
    func putBack(isClosed: Bool) async throws {
        var store = try await open(folder.database)
        try await store.commit([Self.record("a"), Self.record("b")], journal: [], now: Self.now)
        let first = try await store.announceNumbers()
        await store.permitAnnouncedNumbers()
        if isClosed { try await store.close() }
        try folder.copyDatabase(to: "earlier.db")
        if isClosed { store = try await open(folder.database) }
        for index in 0..<300 { try await store.commit([Self.record("c\(index)")], journal: [], now: Self.now) }
        let retained = try await store.announceNumbers()
        #expect(retained.epoch == first.epoch && retained.through > first.through)
        try await store.close()

        let earlier = try await open(folder.file("earlier.db"))
        try await earlier.commit([Self.record("d"), Self.record("e")], journal: [], now: Self.now)
        #expect(try await earlier.finding(about: retained, isFirst: true) == .sharedEpoch(through: retained.through))
        let hasBegun = try await earlier.renewEpoch(
            othersThrough: retained.through, now: Self.now, payload: Self.renumbered)
        #expect(hasBegun)
        let epoch = earlier.epochIdentity.epoch
        #expect(epoch > first.epoch)
        #expect(
            try await Self.texts(earlier)
                == ["\(first.epoch) 1 a", "\(first.epoch) 2 b", "\(epoch) 1 d", "\(epoch) 2 e"])
        let lost = await earlier.ledger().filter { $0.epoch == first.epoch && $0.reason == .possiblyLost }
        #expect(lost.contains { $0.fromSeq == 3 && $0.toSeq >= retained.through })
        // New numbers follow, and the epoch of before is no evidence any more.
        try await earlier.commit([Self.record("f")], journal: [], now: Self.now)
        #expect(try await Self.texts(earlier).last == "\(epoch) 3 f")
        #expect(try await earlier.finding(about: retained, isFirst: true) == .consistent)
        try await earlier.close()
        let reopened = try await open(folder.file("earlier.db"))
        #expect(reopened.epochIdentity.epoch == epoch && reopened.report.inconsistency == nil)
        #expect(try await Self.texts(reopened).count == 5)
    }

    @Test("A new epoch is later than one that the broker knows")
    func later() async throws {
        let store = try await open(folder.database)
        let known = store.epochIdentity.epoch + (100 << 32)
        #expect(try await store.renewEpoch(othersThrough: 0, after: known, now: Self.now, payload: Self.renumbered))
        #expect(store.epochIdentity.epoch > known)
    }

    @Test("Evidence that comes again and again begins 32 epochs at once, then one in 10 minutes, also over restarts")
    func bound() async throws {
        var store = try await open(folder.database)
        var begun: [Int] = []
        for second in stride(from: 0, through: 7200, by: 10) {
            if second % 600 == 0 {
                try await store.close()
                store = try await open(folder.database)
            }
            let now = Self.now.advanced(bySeconds: Double(second))
            if try await store.renewEpoch(othersThrough: 9, now: now, payload: Self.renumbered) { begun.append(second) }
        }
        #expect(begun == Array(stride(from: 0, to: 320, by: 10)) + Array(stride(from: 600, through: 7200, by: 600)))
        // A clock that goes back begins none, and a day fills the number up.
        for (days, expected) in [(-9.0, 0), (2, 32)] {
            var count = 0
            for _ in 0..<40 {
                let now = Self.now.advanced(bySeconds: days * 86_400)
                let hasBegun = try await store.renewEpoch(othersThrough: 9, now: now, payload: Self.renumbered)
                count += hasBegun ? 1 : 0
            }
            #expect(count == expected)
        }
        #expect(EpochRenewals(document: Array("x y".utf8)) == EpochRenewals())
    }
}
