import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographSQLite
import Testing

@testable import Odograph
@testable import OdographStore

@Suite("Private time, and a database that is replaced")
struct PrivateStoreTests {
    private static let open = "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }"
    private static let start = "2026-11-20T08:00:00Z"

    /// Returns a search for some seconds of the drive, by their longitudes: the latitude hardly changes.
    private static func search(_ seconds: Range<Int>) throws -> LeakSearch {
        LeakSearch(
            try ScheduleFixture.drive(from: start, seconds: seconds.count, atSecond: seconds.lowerBound).map { fix in
                let degrees = fix.coordinate.longitudeDegrees
                return LeakSearch.Place(latitude: degrees, longitude: degrees)
            })
    }

    /// Returns the places that are found in the files of a folder, and in the payloads of the records, which the files
    /// contain compressed.
    private static func finds(_ search: LeakSearch, in folder: String, _ store: AgentStore) async throws -> [String] {
        let records = try await store.unacknowledged(limit: .max).flatMap(\.payload)
        let timeline = try await store.timelineUpdates(after: .init(millisecondsSinceEpoch: 0)).payloads.flatMap { $0 }
        let parts = try FileReader.entryNames(in: folder).map { ($0, try FileContents.bytes("\(folder)/\($0)")) }
        return (parts + [("records", records), ("timeline", timeline)]).flatMap { name, bytes in
            search.finds(in: bytes).map { "\(name): \($0)" }
        }
    }

    @Test(
        "A database that becomes usable in private time gets no position of that time",
        arguments: [true, false], [true, false])
    func joined(isUsableAtOnce: Bool, isPrivate: Bool) async throws {
        let folder = try TemporaryFolder()
        let (data, path) = (folder.file("data"), folder.file("data/agent.db"))
        mkdir(data, 0o700)
        let earlier = try await PipelineFixture(
            Self.open, at: try ScheduleFixture.moment(Self.start),
            store: try await AgentStore.open(at: path, now: try ScheduleFixture.time(Self.start)).store)
        try await earlier.drive(seconds: 60, from: 2000, at: Self.start)
        await earlier.pipeline.stop()
        try await earlier.store.close()

        // The next run begins without its file.
        rename(data, folder.file("away"))
        try folder.write("", to: "data")
        let later = try ScheduleFixture.moment("2026-11-20T08:10:00Z")
        let store = try await AgentStore.openInMemory(insteadOf: path, now: later.systemTime).store
        let hidden = "{ schedule: '* 3 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }"
        let run = try await PipelineFixture(isPrivate ? hidden : Self.open, at: later, store: store)
        await run.pipeline.observeStoreFile { _ in }
        if !isUsableAtOnce { try await run.drive(seconds: 60, from: 1, at: Self.start) }
        #expect(await store.isWaitingForFile)
        unlink(data)
        rename(folder.file("away"), data)
        run.clock.advance(bySeconds: 60)
        try await run.drive(seconds: 60, from: 61, at: Self.start)
        #expect(await !store.isWaitingForFile)
        #expect(await run.pipeline.isPrivate == isPrivate)
        for isStopped in [false, true] {
            if isStopped { await run.pipeline.stop() }
            let found = try await Self.finds(try Self.search(1..<121), in: data, store)
            #expect(found.isEmpty == isPrivate, "\(found)")
            #expect(try await !Self.finds(try Self.search(2001..<2060), in: data, store).isEmpty)
        }
        #expect(await run.pipeline.odometer.meters > 1000)
        try await store.close()
    }

    @Test("A database that is salvaged after private time contains no position of that time")
    func salvaged() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("agent.db")
        let tracking = """
            { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }, schedule: '0-9,20-59 * * * *',
              time_zone: 'UTC', off_schedule: { mode: 'private' } }
            """
        let begin = try ScheduleFixture.moment("2026-11-20T08:09:00Z")
        let run = try await PipelineFixture(
            tracking, at: begin, store: try await AgentStore.open(at: path, now: begin.systemTime).store)
        try await run.drive(seconds: 720, from: 1, at: Self.start)
        await run.pipeline.stop()
        try await run.store.close()
        do {
            let connection = try SQLiteConnection(path: path)
            try connection.execute("PRAGMA user_version = 99")
        }
        let now = try ScheduleFixture.moment("2026-11-20T08:30:00Z")
        let (store, report) = try await AgentStore.open(at: path, now: now.systemTime)
        #expect(report.damage?.salvagedCount ?? 0 > 50)
        let next = try await PipelineFixture(tracking, at: now, store: store)
        await next.pipeline.stop()
        // The last position before private time, and the first one after it, are not private.
        let hidden = try await Self.finds(try Self.search(65..<655), in: folder.path, store)
        #expect(hidden == [])
        for seconds in [5..<55, 670..<720] {
            #expect(try await Self.finds(try Self.search(seconds), in: folder.path, store) != [], "\(seconds)")
        }
        try await store.close()
    }
}
