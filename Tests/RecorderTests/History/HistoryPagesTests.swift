import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The rows of answers")
struct HistoryPagesTests {
    /// A day with positions of one time, trips, a stop in private time, and events that overlap each other's days.
    static func day() throws -> [Archive.Message] {
        var messages = try (1...40).map {
            try Payloads.position(
                Int64($0), at: "2026-11-21T09:\(($0 / 4) + 10):00.000Z", driver: .string("Ann"),
                geofence: $0 % 10 == 0 ? "depot" : nil)
        }
        messages += [
            try Payloads.event(50, "night", from: "2026-11-20T18:00:00Z", to: "2026-11-21T07:00:00Z"),
            try Payloads.event(51, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 5000),
            try Payloads.event(52, "home", from: "2026-11-21T08:00:00Z", to: "2026-11-23T06:00:00Z", isPrivate: true),
            try Payloads.event(
                53, "private", from: "2026-11-23T06:00:00Z", to: "2026-11-23T07:00:00Z", meters: 700, isPrivate: true),
            try Payloads.event(54, "late", from: "2026-11-23T07:00:00Z", to: nil),
            (van + "reported", try Payloads.reported([], timeZone: "Europe/Madrid")),
            ("fleet/acme/van-8/location", try Payloads.position(1, at: "2026-11-21T09:00:00Z").payload),
            ("fleet/beta/van-9/location", try Payloads.position(1, at: "2026-11-21T09:00:00Z").payload),
            ("fleet/acme/van-1/status", try Payloads.status(.online, connection: 1)),
        ]
        return messages
    }

    /// Returns all rows, as answers to requests with a limit, each for the rows after the former one.
    private func rows(
        _ request: HistoryRequest, limit: Int, page: Int, in database: HistoryDatabase
    ) throws -> [String] {
        var (request, rows) = (request, [String]())
        for _ in 0..<200 {
            var pages = try request.pages(of: "acme", within: HistorySettings(), in: database)
            var (found, next) = ([String](), String?.none)
            repeat {
                let read = try pages.read(from: database, limit: min(page, limit - found.count))
                #expect(read.rows.count <= min(page, limit - found.count))
                found += read.rows.map { String(decoding: $0, as: UTF8.self) }
                next = read.next
            } while next != nil && found.count < limit
            rows += found
            guard let next else { return rows }
            request.after = next
        }
        throw HarnessError("the answers do not end: \(rows.count)")
    }

    @Test("A place before the time of a request is refused: only this time is permitted and logged")
    func foreignPlace() throws {
        let archive = try Archive()
        try archive.store(try Self.day())
        var request = HistoryRequest(
            .track(device: "van-7", times: instant("2026-11-21T09:15:00Z")..<instant("2026-11-21T10:00:00Z")))
        request.after = "2000-01-01T00:00:00.000Z/0/0"
        let history = try HistoryDatabase(.file(path: archive.file.path))
        #expect(throws: HistoryRefusal.self) {
            _ = try request.pages(of: "acme", within: HistorySettings(), in: history)
        }
        request.after = "2026-11-21T09:15:00.000Z/0/0"
        var pages = try request.pages(of: "acme", within: HistorySettings(), in: history)
        #expect(try pages.read(from: history, limit: 100).rows.count == 21)
    }

    @Test("A place after the time of a request for alerts is refused: they come newest first")
    func foreignAlertPlace() throws {
        let archive = try Archive()
        let history = try archive.history()
        var request = HistoryRequest(.alerts(device: nil, times: Self.whole))
        for (time, isRefused) in [
            ("2099-01-01T00:00:00.000Z", true), ("2026-11-25T00:00:00.000Z", true), ("2026-11-24T23:59:59.999Z", false),
        ] {
            request.after = "\(time)/9"
            var refusal: HistoryRefusal?
            do { _ = try request.pages(of: "acme", within: HistorySettings(), in: history) } catch let found
                as HistoryRefusal
            { refusal = found }
            #expect((refusal?.code == .invalid) == isRefused, "\(time)")
        }
    }

    private static let whole = instant("2026-11-20T00:00:00Z")..<instant("2026-11-25T00:00:00Z")

    @Test(
        "Answers with any limit, read in pages of any size, have each row once and in order",
        arguments: [1, 2, 3, 7, 500], DatabaseKind.allCases)
    func pages(size: Int, kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind, Self.day())
        let database = try archive.history()
        let days = try #require(CivilDate(historyDay: "2026-11-19")).daysSinceEpoch
        for query: HistoryRequest.Query in [
            .track(device: "van-7", times: Self.whole), .timeline(device: "van-7", times: Self.whole),
            .timeline(device: "van-7", times: instant("2026-11-21T06:00:00Z")..<instant("2026-11-24T00:00:00Z")),
            .days(
                device: "van-7", first: CivilDate(daysSinceEpoch: days), last: CivilDate(daysSinceEpoch: days + 5)),
            .latest,
        ] {
            let whole = try rows(HistoryRequest(query), limit: 10_000, page: 10_000, in: database)
            #expect(whole.count >= 3 && Set(whole).count == whole.count)
            for limit in [1, 2, 5, 41] {
                let found = try rows(HistoryRequest(query), limit: limit, page: size, in: database)
                #expect(found == whole, "\(query), limit \(limit)")
            }
        }
    }

    @Test(
        "The rows are those of the database: positions, events, the vehicle's days, and the vehicles of the fleet only",
        arguments: DatabaseKind.allCases)
    func contents(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store(Self.day())
        let database = try archive.history()
        func decoded(_ query: HistoryRequest.Query) throws -> [[String: JSONValue]] {
            try rows(HistoryRequest(query), limit: 100, page: 100, in: database).compactMap {
                let value = try JSONCoder.decode(JSONValue.self, from: Array($0.utf8))
                return if case .object(let members) = value { members } else { nil }
            }
        }
        let track = try decoded(.track(device: "van-7", times: Self.whole))
        #expect(track.count == 40)
        #expect(track.first?["driver"] == .string("Ann") && track.first?["heading"] == nil)
        let entered = track.filter { $0["geofence"] == .string("depot") && $0["action"] == .string("ENTER") }
        #expect(entered.count == 4)
        for row in entered {
            guard case .object(let crossing)? = row["crossing"] else { Issue.record("\(row)"); continue }
            #expect(crossing["identifier"] == .string("depot") && crossing["occurred_at"] != nil)
        }
        #expect(track.allSatisfy { ($0["crossing"] == nil) == ($0["geofence"] == nil) })
        let events = try decoded(.timeline(device: "van-7", times: Self.whole)).map { $0["event_id"] }
        #expect(events == ["night", "trip", "home", "private", "late"].map { .string($0) })
        let date = try #require(CivilDate(historyDay: "2026-11-23"))
        let days = try decoded(.days(device: "van-7", first: date, last: date))
        #expect(days.count == 1 && days[0]["day"] == .string("2026-11-23"))
        #expect(days[0]["trips"] == .integer(1) && days[0]["private_distance_in_meters"] == .integer(700))
        let latest = try decoded(.latest)
        #expect(latest.map { $0["device"] } == ["van-1", "van-7", "van-8"].map { .string($0) })
        #expect(latest[0]["position"] == nil && latest[0]["state"] == .string("online"))
    }

    @Test("A trip counts on the day of the vehicle's zone, not of UTC", arguments: DatabaseKind.allCases)
    func zone(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store([
            // 23:30 UTC is 00:30 of the next day in Madrid.
            Payloads.event(1, "late", from: "2026-11-20T23:30:00Z", to: "2026-11-20T23:50:00Z", meters: 900),
            (van + "reported", Payloads.reported([], timeZone: "Europe/Madrid")),
        ])
        let database = try archive.history()
        let date = try #require(CivilDate(historyDay: "2026-11-21"))
        var pages = try HistoryRequest(.days(device: "van-7", first: date, last: date))
            .pages(of: "acme", within: HistorySettings(), in: database)
        #expect(pages.timeZone == "Europe/Madrid")
        let row = try #require(try pages.read(from: database, limit: 9).rows.first)
        #expect(String(decoding: row, as: UTF8.self).contains(#""trips":1"#))
    }

    @Test("An answer about private time has neither a position nor a driver", arguments: DatabaseKind.allCases)
    func privateTime(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store(Self.day())
        let database = try archive.history()
        let times = instant("2026-11-22T00:00:00Z")..<instant("2026-11-23T06:59:00Z")
        var found: [String] = []
        for query: HistoryRequest.Query in [
            .track(device: "van-7", times: times), .timeline(device: "van-7", times: times),
        ] {
            found += try rows(HistoryRequest(query), limit: 100, page: 100, in: database)
        }
        #expect(found.count == 2)
        for word in ["latitude", "longitude", "40", "Ann", "waypoints", "venue", "driver"] {
            #expect(
                !found.contains { $0.replacing(#/"(uuid|[a-z_]*date)":"[^"]*"/#, with: "").contains(word) }, "\(word)")
        }
    }

    @Test("A vehicle of another fleet, a long interval, and a place of another request are refused")
    func refusals() throws {
        let archive = try Archive()
        try archive.store(Self.day())
        let database = try archive.history()
        let month = instant("2026-11-01T00:00:00Z")..<instant("2026-12-02T00:00:00Z")
        // 31 days of Madrid, with the end of summer time.
        let october = instant("2026-09-30T22:00:00Z")..<instant("2026-10-31T23:00:00Z")
        let date = CivilDate(year: 2026, month: 1, day: 1)
        for (request, code): (HistoryRequest, HistoryRefusal.Code?) in [
            (HistoryRequest(.track(device: "van-9", times: Self.whole)), .unknownDevice),
            (HistoryRequest(.track(device: "van-7", times: month)), nil),
            (HistoryRequest(.track(device: "van-7", times: october)), nil),
            (
                HistoryRequest(.timeline(device: "van-7", times: month.lowerBound..<instant("2026-12-02T02:00:01Z"))),
                .tooLong
            ),
            (
                HistoryRequest(
                    .days(device: "van-7", first: date, last: CivilDate(daysSinceEpoch: date.daysSinceEpoch + 365))),
                nil
            ),
            (
                HistoryRequest(
                    .days(device: "van-7", first: date, last: CivilDate(daysSinceEpoch: date.daysSinceEpoch + 366))),
                .tooLong
            ),
            (HistoryRequest(.track(device: "van-7", times: Self.whole), after: "van-7"), .invalid),
            (HistoryRequest(.timeline(device: "van-7", times: Self.whole), after: "x"), .invalid),
            (HistoryRequest(.days(device: "van-7", first: date, last: date), after: "2026-02-30"), .invalid),
            (HistoryRequest(.latest, after: "a/b"), .invalid),
        ] {
            var found: HistoryRefusal.Code?
            do { _ = try request.pages(of: "acme", within: HistorySettings(), in: database) } catch let refusal
                as HistoryRefusal
            { found = refusal.code }
            #expect(found == code, "\(request)")
        }
    }

    @Test("No part is longer than the limit, all parts have all rows, and a row that is too long is counted")
    func parts() throws {
        var parts = AnswerParts(id: "q", recorder: "main", timeZone: nil, maximumBytes: HistoryAnswer.frameBytes + 1000)
        var messages: [HistoryAnswer] = []
        var random = SplitMix64(seed: 5)
        let rows = (0..<300).map { index in
            let length = index % 50 == 49 ? 1000 : Int.random(in: 0...400, using: &random)
            return Array("{\"n\":\(index),\"x\":\"\(String(repeating: "x", count: length))\"}".utf8)
        }
        for row in rows { if let part = parts.append(row) { messages.append(part) } }
        let place = String(repeating: "\"", count: 2048)
        messages.append(parts.end(next: place))
        #expect(messages.map(\.part) == Array(1...messages.count) && messages.count > 40)
        var found = 0
        for (index, message) in messages.enumerated() {
            #expect(message.payload.count <= HistoryAnswer.frameBytes + 1000)
            guard case .object(let members) = try JSONCoder.decode(JSONValue.self, from: message.payload),
                case .array(let rows)? = members["rows"]
            else {
                Issue.record("no rows")
                continue
            }
            found += rows.count
            #expect(members["is_last"] == .bool(index == messages.count - 1))
            #expect(members["next"] == (index == messages.count - 1 ? .string(place) : nil))
        }
        let tooLong = rows.count { $0.count + 1 > 1000 }
        #expect(tooLong == 6 && found == 294 && parts.count == 300)
        guard case .rows(_, _, let ending?) = messages.last?.content else {
            Issue.record("no end")
            return
        }
        #expect(ending == HistoryAnswer.Ending(count: 294, omitted: 6, next: place))
    }
}
