import OdographCivilTime
import Glibc
import OdographHarness
import OdographSQLite
import OdographWire
import Testing

@testable import OdographStore

/// Returns a revision of an event. Times are seconds after the start of the tests.
private func revision(
    _ id: String, _ from: Int, _ to: Int?, at update: Int, isFinal: Bool? = nil, bytes: Int = 0
) -> PendingRecord {
    let key = TimelineKey(
        eventID: id, start: second(from), end: to.map(second), lastUpdate: second(update),
        isFinal: isFinal ?? (to != nil))
    return PendingRecord(kind: .timeline, timestamp: second(update), timeline: key) { _ in
        let name = Array("\(id)@\(update)".utf8)
        return name + [UInt8](repeating: 0x2E, count: max(0, bytes - name.count))
    }
}

extension TimelinePage {
    /// The names at the beginning of the payloads.
    fileprivate var names: [String] {
        payloads.map { String(decoding: $0.prefix { $0 != 0x2E }, as: UTF8.self) }
    }
}

extension AgentStore {
    fileprivate func deleteOldest(endedBefore instant: Timestamp, limit: Int) throws(StoreError) -> Int {
        var totals = database.counters.timeline
        return try database.timeline.deleteOldest(endedBefore: instant, limit: limit, totals: &totals)
    }
}

@Suite("The timeline for queries")
struct TimelineTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The newest revision of each event is kept, delivered or not, and survives a restart")
    func newest() async throws {
        var store = try await open(folder.database)
        for record in [
            revision("a", 0, nil, at: 1), revision("a", 0, nil, at: 5), revision("a", 0, 8, at: 10),
            revision("b", 8, nil, at: 11), revision("b", 7, nil, at: 12), revision("b", 7, nil, at: 12),
            // A late revision, as after a restart on an older state.
            revision("a", 0, nil, at: 6),
        ] {
            let stored = try await store.commit([record], journal: [], now: start)
            try await store.acknowledge(stored.map(\.key))
        }
        try await store.flushAcknowledgements()
        for _ in 0..<2 {
            #expect(try await store.timelineEvents(from: second(0), to: second(99)).names == ["a@10", "b@12"])
            #expect(try await store.timelineEvent(id: "b") == Array("b@12".utf8))
            #expect(try await store.timelineEvent(id: "c") == nil)
            let totals = await store.counters.timeline
            #expect(totals.count == 2 && totals.bytes == 8)
            #expect(try await store.statistics().depth == 0)
            store = try await AgentStore.openInMemory(now: start).store
            store = try await open(folder.database)
        }
    }

    @Test("A time range that ends before it begins has no events, not even open ones")
    func backwards() async throws {
        let store = try await open(folder.database)
        try await store.commit(
            [revision("a", 0, 8, at: 9), revision("b", 8, nil, at: 10)], journal: [], now: start)
        #expect(try await store.timelineEvents(from: second(20), to: second(10)).names == [])
        #expect(try await store.timelineEvents(from: second(20), to: second(20)).names == ["b@10"])
    }

    @Test("A withdrawn event is in no time range, and is found by its identifier and among the updates")
    func withdrawn() async throws {
        let store = try await open(folder.database)
        // Without and with other events.
        for others in [[], [revision("a", 0, 8, at: 10), revision("c", 8, nil, at: 11)]] {
            try await store.commit([revision("b", 5, 4, at: 9)] + others, journal: [], now: start)
            let names = others.isEmpty ? [] : ["a@10", "c@11"]
            for (from, to) in [(0, 99), (5, 9), (4, 99)] {
                #expect(try await store.timelineEvents(from: second(from), to: second(to)).names == names)
            }
            #expect(
                try await store.timelineEvents(from: second(5), to: second(5)).names == names.filter { $0 == "a@10" })
            #expect(try await store.timelineEvent(id: "b") == Array("b@9".utf8))
            #expect(try await store.timelineUpdates(after: second(8)).names == ["b@9"] + names)
        }
    }

    @Test("Open events and provisionally ended ones are found, final ones are not")
    func lasting() async throws {
        let store = try await open(folder.database)
        try await store.commit(
            [
                revision("a", 0, 8, at: 9), revision("b", 8, 20, at: 21, isFinal: false),
                revision("c", 20, nil, at: 22),
                revision("d", 25, 24, at: 26), revision("c", 20, nil, at: 27),
            ], journal: [], now: start)
        let lasting = try await store.contents()
        #expect(TimelinePage(payloads: lasting.openTimelineEvents, hasMore: false).names == ["b@21", "c@27"])
        #expect(lasting.lastTimelineUpdate == second(27))
    }

    @Test(
        "A time range returns the events that overlap it",
        arguments: [
            (0, 10, ["a"]), (0, 1, ["a"]), (9, 10, ["a"]), (10, 20, ["z", "b"]), (10, 11, ["z", "b"]),
            (5, 25, ["a", "z", "b", "c"]), (20, 30, ["c", "d"]), (29, 99, ["c", "d"]), (50, 60, ["d"]),
            (-9, 0, []), (15, 15, ["b"]), (20, 20, ["c"]), (10, 10, ["z", "b"]), (0, 0, ["a"]), (-5, -5, []),
        ])
    func range(from: Int, to: Int, expected: [String]) async throws {
        let store = try await AgentStore.openInMemory(now: start).store
        // `z` has no duration; `d` is open.
        try await store.commit(
            [
                revision("d", 29, nil, at: 29), revision("c", 20, 30, at: 30), revision("a", 0, 10, at: 10),
                revision("z", 10, 10, at: 10), revision("b", 10, 20, at: 20),
            ], journal: [], now: start)
        let found = try await store.timelineEvents(from: second(from), to: second(to)).names
        #expect(found.map { String($0.prefix(1)) } == expected)
    }

    @Test("Updates after an instant come in order, without those of the instant itself")
    func updates() async throws {
        let store = try await AgentStore.openInMemory(now: start).store
        for step in 0..<20 {
            try await store.commit([revision("\(step % 7)", step % 7, nil, at: step)], journal: [], now: start)
        }
        let all = ["6@13", "0@14", "1@15", "2@16", "3@17", "4@18", "5@19"]
        #expect(try await store.timelineUpdates(after: second(-1)).names == all)
        #expect(try await store.timelineUpdates(after: second(15)).names == Array(all[3...]))
        #expect(try await store.timelineUpdates(after: second(19)).names.isEmpty)
    }

    @Test("The pages of an answer give the whole, and revisions of one instant stay together", arguments: 1...6)
    func pages(limit: Int) async throws {
        let store = try await AgentStore.openInMemory(now: start).store
        var random = SplitMix64(seed: UInt64(limit))
        for number in 0..<60 {
            let update = Int.random(in: 0..<20, using: &random)
            try await store.commit(
                [revision("\(number)", number, nil, at: update, bytes: 10 + number)], journal: [], now: start)
        }
        let whole = try await store.timelineUpdates(after: second(-1))
        #expect(!whole.hasMore && whole.payloads.count == 60)
        var parts: [String] = []
        var after = second(-1)
        while true {
            let page = try await store.timelineUpdates(after: after, limit: limit, maximumBytes: limit * 30)
            parts += page.names
            guard page.hasMore, let last = page.names.last?.split(separator: "@").last.flatMap({ Int($0) }) else {
                break
            }
            after = second(last)
        }
        #expect(parts == whole.names)
    }

    @Test("A failed commit leaves the timeline unchanged")
    func atomic() async throws {
        let store = try await open(folder.database, StoreOptions(maximumBytes: 512 << 10))
        try await store.commit([revision("a", 0, nil, at: 1)], journal: [], now: start)
        await #expect(throws: StoreError.self) {
            try await store.commit(
                [revision("a", 0, nil, at: 2), revision("b", 1, nil, at: 2, bytes: 1 << 20)], journal: [], now: start)
        }
        #expect(try await store.timelineEvents(from: second(0), to: second(9)).names == ["a@1"])
        #expect(await store.counters.timeline.count == 1)
    }

    @Test("Above its limit the timeline drops only the oldest final events")
    func bounded() async throws {
        var options = StoreOptions()
        options.timelineMaximumCount = 300
        options.timelineMaximumBytes = 20_000
        let store = try await AgentStore.openInMemory(options: options, now: start).store
        try await store.commit([revision("open", 0, nil, at: 0, bytes: 50)], journal: [], now: start)
        for number in 1...600 {
            let stored = try await store.commit(
                [revision("\(number)", number, number + 1, at: number, bytes: 100)], journal: [], now: start)
            try await store.acknowledge(stored.map(\.key))
            let totals = await store.counters.timeline
            #expect(totals.count <= 300 && totals.bytes <= 20_000)
        }
        let names = try await store.timelineEvents(from: second(-1), to: second(9999)).names
        #expect(names.first == "open@0" && names.last == "600@600")
        #expect(names.count >= 200 - 128)
        #expect(await store.ledger().isEmpty)
    }

    @Test("The timeline gives way before undelivered records")
    func neverCrowdsOut() async throws {
        let store = try await open(folder.database, StoreOptions(maximumBytes: 512 << 10))
        for number in 0..<300 {
            let stored = try await store.commit(
                [revision("\(number)", number, number + 1, at: number, bytes: 400)], journal: [], now: start)
            try await store.acknowledge(stored.map(\.key))
        }
        let before = await store.counters.timeline.count
        #expect(before > 200)
        while await store.ledger().isEmpty { try await store.fill(10, aCommit: 10) }
        #expect(await store.counters.timeline.count < 128)
        #expect(try await store.statistics().depth > 600)
    }

    @Test("Events before an instant are removed, also unfinished ones, but not the open event")
    func expired() async throws {
        let store = try await AgentStore.openInMemory(now: start).store
        try await store.commit(
            [
                revision("old", 0, 10, at: 10), revision("left", 10, nil, at: 12), revision("long", 12, 40, at: 40),
                revision("now", 40, nil, at: 41),
            ], journal: [], now: start)
        #expect(try await store.expireTimeline(before: second(30)) == 2)
        #expect(try await store.timelineEvents(from: second(0), to: second(99)).names == ["long@40", "now@41"])
        #expect(await store.counters.timeline.count == 2)
        #expect(try await store.all().count == 4)
    }

    @Test("A deletion removes at most as many events as its limit, final ones before unfinished ones")
    func deletionLimit() async throws {
        let store = try await AgentStore.openInMemory(now: start).store
        let events = (0..<4).map { revision("final \($0)", $0, $0 + 1, at: $0 + 1) }
        let abandoned = (0..<4).map { revision("abandoned \($0)", $0, $0 + 1, at: $0 + 1, isFinal: false) }
        try await store.commit(events + abandoned, journal: [], now: start)
        #expect(try await store.deleteOldest(endedBefore: second(50), limit: 6) == 6)
        #expect(
            try await store.timelineEvents(from: second(-1), to: second(50)).names == [
                "abandoned 2@3", "abandoned 3@4",
            ])
    }

    @Test("The timeline of a database that is set aside is salvaged")
    func salvaged() async throws {
        do {
            let store = try await open(folder.database)
            for number in 0..<50 {
                try await store.commit([revision("\(number)", number, number + 1, at: number)], journal: [], now: start)
            }
        }
        do {
            let connection = try SQLiteConnection(path: folder.database)
            try connection.execute("PRAGMA user_version = 99")
        }
        let store = try await open(folder.database)
        #expect(store.report.damage?.salvagedCount == 50)
        #expect(try await store.timelineEvents(from: second(0), to: second(99)).payloads.count == 50)
    }

    @Test("A location's commit writes as many pages with a long timeline as with none, a revision's few more")
    func pagesWritten() throws {
        var database = try DatabaseOpener(path: folder.database, options: StoreOptions(), now: start).open()
        let without = try database.framesOfTwenty { _ in record() }
        for number in 0..<500 {
            try database.commit(revision("\(number)", number, number + 1, at: number, bytes: 600), journal: [])
        }
        try database.commit(revision("open", 500, nil, at: 500), journal: [])
        let with = try database.framesOfTwenty { _ in record() }
        #expect(with <= without + 4, "\(without) pages without, \(with) with")
        let revisions = try database.framesOfTwenty { revision("open", 500, nil, at: 501 + $0, bytes: 450) }
        #expect(revisions <= with + 20 * 4, "\(with) pages for locations, \(revisions) for revisions")
    }
}

extension Database {
    /// Returns the number of pages that twenty commits of a record write to a new log.
    fileprivate mutating func framesOfTwenty(_ record: (Int) -> PendingRecord) throws(StoreError) -> Int {
        _ = try framesInLog()
        for number in 0..<20 {
            try commit(record(number), journal: [1])
        }
        return try framesInLog()
    }

    fileprivate mutating func commit(_ record: PendingRecord, journal: [UInt8]) throws(StoreError) {
        let identity = counters.epochIdentity.identity(forSeq: counters.newestSeq + 1)
        try commit([record.numbered(identity)], dropped: [:], journal: journal, snapshot: nil, at: start)
    }

    private borrowing func framesInLog() throws(StoreError) -> Int {
        var count = 0
        try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)").forEach { row throws(StoreError) in
            count = Int(row.integer(1))
            return false
        }
        return count
    }
}
