import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographStore
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Queries of the recorder's database")
struct QueryTests {
    @Test(
        "Pages of every size contain each position of the time once, in the order of time",
        arguments: DatabaseKind.allCases)
    func pages(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        // Several records of one time, in an order of arrival that is not the order of their numbers.
        let times = ["09:00:00", "09:00:01", "09:00:01", "09:00:01", "09:00:02", "09:00:03", "09:00:04"]
        let messages = try times.enumerated().map {
            try Payloads.position(Int64($0 + 1), at: "2026-11-21T\($1).000Z")
        }
        try archive.store(
            messages.reversed() + [
                Payloads.event(20, "a", from: "2026-11-21T09:00:00Z", to: "2026-11-21T09:00:02Z"),
                ("fleet/acme/van-8/location", messages[1].payload),
            ])
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let range = instant("2026-11-21T09:00:00Z")..<instant("2026-11-21T09:00:04Z")
        for size in [1, 2, 3, 7, 50] {
            var found: [Int64] = []
            var place: ArchivedRecord.Place?
            while true {
                let page = try history.records(
                    of: van, in: range, after: place, isTrack: true, hasPayload: true, limit: size)
                found += page.map(\.number.seq)
                guard let last = page.last else { break }
                place = last.place
            }
            #expect(found == [1, 2, 3, 4, 5, 6], "pages of \(size)")
        }
        let all = try history.records(of: van, in: range, after: nil, isTrack: false, hasPayload: true, limit: 100)
        #expect(all.map(\.number.seq) == [1, 2, 3, 4, 5, 20, 6])
    }

    @Test(
        "The newest position is the newest one also after a smaller epoch, in any order, and after an erasure",
        arguments: DatabaseKind.allCases)
    func smallerEpoch(kind: DatabaseKind) async throws {
        func location(_ epoch: Int64, _ seq: Int64, _ date: String, isGeofence: Bool = false) throws -> Archive.Message
        {
            (
                van + (isGeofence ? "geofence" : "location"),
                try Payloads.location(epoch: epoch, seq, isGeofence: isGeofence, date: date)
            )
        }
        let archive = try await Archive.make(kind)
        func newest() throws -> [Int64] {
            let position = try archive.history().latestPositions(fleet: nil, hasPayload: false).first?.position
            return position.map { [$0.number.epoch, $0.number.seq] } ?? []
        }
        // The disk is new, and the clock without a battery began an epoch that is smaller.
        try archive.store([try location(9, 5, "2026-08-20T09:00:00Z")])
        try archive.store([try location(7, 1, "2026-09-19T09:00:00Z"), try location(9, 4, "2026-08-20T08:59:00Z")])
        #expect(try newest() == [7, 1])
        // Within an epoch the number decides, whatever the dates are.
        try archive.store([try location(7, 2, "2026-09-18T09:00:00Z")])
        #expect(try newest() == [7, 2])
        try archive.store([try location(9, 6, "2026-08-20T09:01:00Z")])
        #expect(try newest() == [7, 2])
        // The kinds of positions compare in the same way.
        try archive.store([try location(8, 1, "2026-09-20T09:00:00Z", isGeofence: true)])
        #expect(try newest() == [8, 1])
        let vehicle = try archive.history().vehicle(named: "van-7", fleet: nil)
        _ = try RecordEraser(archive.location).erase(
            Erasure(
                .vehicle(vehicle), from: instant("2026-09-20T00:00:00Z"), to: instant("2026-09-21T00:00:00Z")))
        #expect(try newest() == [7, 2])
    }

    @Test(
        "The timeline of a time has the events that overlap it, and no event whose end was lost before it",
        arguments: DatabaseKind.allCases)
    func timeline(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store([
            Payloads.event(1, "lost", from: "2026-11-20T08:00:00Z", to: nil),
            Payloads.event(2, "night", from: "2026-11-20T18:00:00Z", to: "2026-11-21T07:00:00Z"),
            Payloads.event(3, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 5000),
            Payloads.event(4, "open", from: "2026-11-21T08:00:00Z", to: nil),
        ])
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: "acme")
        for (from, to, expected) in [
            ("2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", ["night", "trip", "open"]),
            ("2026-11-21T07:00:00Z", "2026-11-21T08:00:00Z", ["trip"]),
            ("2026-11-21T07:30:00Z", "2026-11-21T08:00:01Z", ["trip", "open"]),
            ("2026-11-25T00:00:00Z", "2026-11-26T00:00:00Z", ["open"]),
            ("2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z", ["lost"]),
            ("2026-11-19T00:00:00Z", "2026-11-20T00:00:00Z", []),
        ] {
            let events = try history.timeline(of: van, in: instant(from)..<instant(to))
            #expect(events.map(\.eventID) == expected, "\(from)")
        }
    }

    @Test(
        "The newest position of each vehicle is the one with the greatest number, of a location or a geofence",
        arguments: DatabaseKind.allCases)
    func latest(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let first = try Payloads.position(1, at: "2026-11-21T09:00:00Z")
        try archive.store([
            first, Payloads.position(3, at: "2026-11-21T08:00:00Z", latitude: 41, geofence: "depot"),
            Payloads.position(2, at: "2026-11-21T10:00:00Z"),
            Payloads.event(9, "a", from: "2026-11-21T09:00:00Z", to: nil),
            ("fleet/beta/van-7/status", Payloads.status(.online, connection: 1)),
            ("fleet/beta/van-1/location", first.payload),
        ])
        let history = try archive.history()
        let all = try history.latestPositions(fleet: nil, hasPayload: true)
        let names = all.map { "\($0.vehicle.fleet)/\($0.vehicle.device)" }
        #expect(names == ["acme/van-7", "beta/van-1", "beta/van-7"])
        #expect(all.map { $0.position?.number.seq } == [3, 1, nil])
        #expect(all.map(\.state) == [nil, nil, "online"])
        #expect(try history.latestPositions(fleet: "acme", hasPayload: false).count == 1)
        #expect(LatestPosition.table(all).contains("41.00000"))
        #expect(try LatestPosition.jsonLines(all).split(separator: "\n").count == 3)
        #expect(throws: (any Error).self) { try history.vehicle(named: "van-7", fleet: nil) }
        #expect(try history.vehicle(named: "van-7", fleet: "beta").fleet == "beta")
        #expect(throws: (any Error).self) { try history.vehicle(named: "van-9", fleet: nil) }
    }

    @Test(
        "A driver is a text or a number in the extras; other payloads and values have none",
        arguments: DatabaseKind.allCases)
    func driver(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store([
            Payloads.position(1, at: "2026-11-21T09:00:00Z", driver: .string("anna")),
            Payloads.position(2, at: "2026-11-21T09:00:01Z", driver: .integer(42)),
            Payloads.position(3, at: "2026-11-21T09:00:02Z"),
            Payloads.event(4, "a", from: "2026-11-21T09:00:00Z", to: nil),
        ])
        #expect(
            try archive.rows("SELECT seq, driver FROM records ORDER BY seq")
                == [["1", "anna"], ["2", "42"], ["3", "NULL"], ["4", "NULL"]])
        #expect(try archive.rows("SELECT seq FROM records WHERE driver = '42'") == [["2"]])
    }

    @Test("Trips of a driver begin in the time and contain a position of the driver", arguments: DatabaseKind.allCases)
    func trips(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store([
            Payloads.event(1, "first", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 1000),
            Payloads.event(2, "stop", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:00:00Z"),
            Payloads.event(3, "second", from: "2026-11-21T09:00:00Z", to: "2026-11-21T10:00:00Z", meters: 2000),
            Payloads.event(4, "third", from: "2026-11-21T11:00:00Z", to: nil, meters: 3000),
            Payloads.position(10, at: "2026-11-21T07:30:00Z", driver: .string("anna")),
            Payloads.position(11, at: "2026-11-21T08:30:00Z", driver: .string("anna")),
            Payloads.position(12, at: "2026-11-21T09:30:00Z", driver: .string("ben")),
            Payloads.position(13, at: "2026-11-21T11:30:00Z", driver: .string("anna")),
        ])
        let history = try archive.history()
        let day = instant("2026-11-21T00:00:00Z")..<instant("2026-11-22T00:00:00Z")
        #expect(try history.trips(ofDriver: "anna", in: day).map(\.event.eventID) == ["first", "third"])
        #expect(try history.trips(ofDriver: "ben", in: day).map(\.event.eventID) == ["second"])
        #expect(try history.trips(ofDriver: "carl", in: day) == [])
        let noon = instant("2026-11-21T10:00:00Z")..<instant("2026-11-22T00:00:00Z")
        #expect(try history.trips(ofDriver: "anna", in: noon).map(\.event.eventID) == ["third"])
    }

    @Test("Each query of the history finds its rows by an index and reads no table of records as a whole")
    func plans() throws {
        let archive = try Archive()
        for (sql, indexes) in [
            (
                HistorySQL.records(.sqlite, hasPayload: false),
                ["records_by_time (vehicle=? AND time>? AND time<?)"]
            ),
            (HistorySQL.timeline, ["timeline_events_by_start (vehicle=? AND start_date>? AND start_date<?)"]),
            (
                HistorySQL.driverTrips,
                [
                    "records_by_driver (driver=?)", "records_by_driver (driver=? AND vehicle=? AND time>?",
                    "timeline_events_by_driver (driver=?)",
                    "timeline_events_by_start (vehicle=? AND start_date>? AND start_date<?)",
                ]
            ),
            (
                HistorySQL.latest(.sqlite, hasPayload: false),
                ["(vehicle=? AND epoch=? AND seq=?)", "newest USING INTEGER PRIMARY KEY"]
            ),
        ] {
            let plan = try archive.rows("EXPLAIN QUERY PLAN " + sql).map { $0[3] }
            for index in indexes { #expect(plan.contains { $0.contains(index) }, "\(index) is not in \(plan)") }
            let scans = plan.filter { $0.hasPrefix("SCAN") && $0 != "SCAN vehicles" && !$0.hasPrefix("SCAN vehicles ") }
            #expect(scans == [], "\(plan)")
        }
    }

    @Test("In PostgreSQL, the newest positions are read from the partitions of their months only")
    func prunedPartitions() async throws {
        let archive = try await Archive.make(
            .postgreSQL,
            try (1...9).map { try Payloads.position(Int64($0), at: "2026-0\($0)-15T00:00:00Z") })
        let sql = HistorySQL.latest(.postgreSQL, hasPayload: false).replacing("?1", with: "CAST(NULL AS text)")
        let plan = try archive.rows("EXPLAIN (ANALYZE) " + sql).map { $0[0] }
        let partitions = plan.filter { $0.contains(" on records_") }
        #expect(partitions.count == 10, "\(plan)")
        let read = partitions.filter { !$0.contains("never executed") }
        #expect(read.count == 1 && read.first?.contains("records_2026_09") == true, "\(read)")
    }
}
