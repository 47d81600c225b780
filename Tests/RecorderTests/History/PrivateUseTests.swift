import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographOperator
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Private use in what the recorder computes")
struct PrivateUseTests {
    @Test(
        "No report, sum or driver tells place, start or end of a private event, at any boundary",
        arguments: [(DatabaseKind.sqlite, 0..<12 as Range<UInt64>), (.postgreSQL, 100..<101)])
    func boundaries(kind: DatabaseKind, seeds: Range<UInt64>) async throws {
        for seed in seeds {
            let scene = try PrivateScene(seed: seed, events: kind == .sqlite ? 60 : 250)
            let archive = try await Archive.make(kind, scene.messages)
            let history = try archive.history()
            let van = try history.vehicle(named: "van-7", fleet: nil)
            let whole = instant("2026-11-20T00:00:00Z")..<scene.end.advanced(bySeconds: 86_400)
            for driver in ["anna", "ben"] {
                let trips = try history.trips(ofDriver: driver, in: whole)
                #expect(trips.map(\.event.eventID) == scene.trips(of: driver), "seed \(seed), \(driver)")
            }
            let days = LocalDay.days(
                from: ZoneRules.utc.localTime(at: whole.lowerBound).date,
                before: ZoneRules.utc.localTime(at: whole.upperBound).date, in: .utc)
            var (told, privateMeters) = ("", 0.0)
            for day in days {
                let events = try history.timeline(of: van, in: day.span)
                let report = Report.day(
                    of: van, day, events, drivers: try history.drivers(of: van, during: events), in: .utc)
                for format in ReportFormat.allCases { told += try format.text(of: [report]) }
                privateMeters += DayTotals.of([day], events, in: .utc).reduce(0) { $0 + $1.totals.privateMeters }
                let listed = scene.events.count {
                    !$0.use.isPrivate && $0.start < day.span.upperBound && $0.end > day.span.lowerBound
                }
                #expect(report.rows.count { $0[0].text != "" } == listed, "seed \(seed), \(day.date.text)")
                for row in report.rows where row[6].text == "private" {
                    #expect([0, 1, 5, 7, 8, 9].allSatisfy { row[$0].text == "" }, "\(row)")
                }
            }
            #expect(privateMeters == Double(scene.events.count { $0.use.isPrivate && $0.isTrip }) * 1000)
            let events = try history.timeline(of: van, in: whole)
            told += try ReportFormat.jsonl.text(of: [.month(of: van, "2026-11", days, events, in: .utc)])
            for driver in ["anna", "ben"] {
                let trips = try history.trips(ofDriver: driver, in: whole)
                told += try ReportFormat.jsonl.text(of: [.driver(driver, trips, in: .utc)])
            }
            let first = try #require(days.first?.date)
            var pages = try DayPages(vehicle: van, first: first, last: try #require(days.last?.date), after: nil)
            while true {
                let page = try pages.read(from: history, limit: 100)
                told += page.rows.map { String(decoding: $0, as: UTF8.self) }.joined()
                if page.next == nil { break }
            }
            for time in scene.secretTimes {
                let zoned = ZoneRules.utc.offsetTime(at: time)
                #expect(!told.contains(zoned) && !told.contains(time.iso8601), "seed \(seed): \(zoned)")
            }
            for name in scene.secretNames { #expect(!told.contains(name), "seed \(seed)") }
            // The check finds what is public.
            let open = try #require(scene.events.first { !$0.use.isPrivate })
            #expect(told.contains(ZoneRules.utc.offsetTime(at: open.start)))
        }
    }

    @Test(
        "A track marks each position of private use, also while none of its events has come",
        arguments: DatabaseKind.allCases)
    func marked(kind: DatabaseKind) async throws {
        let scene = try PrivateScene(seed: 5, events: 40)
        let positions = scene.sent.map(\.message).filter { !$0.topic.contains("/timeline") }
        let archive = try await Archive.make(kind, positions)
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let whole = instant("2026-11-20T00:00:00Z")..<scene.end.advanced(bySeconds: 86_400)
        let rows = try history.records(of: van, in: whole, after: nil, isTrack: true, hasPayload: false, limit: 100_000)
        #expect(Set(rows.map(\.isOfPrivateUse)) == [true, false])
        for row in rows {
            #expect(row.isOfPrivateUse == (row.latitude == PrivateScene.privateLatitude), "\(row)")
            let told = try JSONCoder.string(of: row.positionRow)
            #expect(told.contains("\"private\":true") == row.isOfPrivateUse)
        }
    }

    @Test("Only the tag private is private use, and no other spelling of it", arguments: DatabaseKind.allCases)
    func spelling(kind: DatabaseKind) async throws {
        let tags = ["private", "Private", "PRIVATE"]
        let archive = try await Archive.make(
            kind,
            try tags.enumerated().map { index, tag in
                try Payloads.position(Int64(index + 1), at: "2026-11-21T08:0\(index):00Z") { $0.tag = tag }
            })
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let day = instant("2026-11-21T00:00:00Z")..<instant("2026-11-22T00:00:00Z")
        let rows = try history.records(of: van, in: day, after: nil, isTrack: true, hasPayload: false, limit: 9)
        #expect(rows.map(\.isOfPrivateUse) == [true, false, false])
        let latest = try history.latestPositions(fleet: nil, hasPayload: false)
        #expect(latest.map { $0.position?.isOfPrivateUse } == [false])
    }

    @Test("A visit that ends in private use ends there, and one that begins in it is told nowhere")
    func visits() throws {
        func crossing(
            _ seq: Int64, _ action: GeofenceTrigger.Action, _ identifier: String, at time: String, tag: String? = nil
        ) throws -> Archive.Message {
            try Payloads.position(seq, at: time, geofence: identifier) { event in
                event.geofence?.action = action
                event.geofence?.dwell = 99_999
                event.tag = tag
            }
        }
        let archive = try Archive()
        try archive.store([
            crossing(1, .enter, "depot", at: "2026-11-21T08:00:00Z"),
            crossing(2, .exit, "depot", at: "2026-11-21T10:00:00Z", tag: "private"),
            crossing(3, .enter, "home", at: "2026-11-21T10:30:00Z", tag: "private"),
            crossing(4, .exit, "clinic", at: "2026-11-21T11:00:00Z", tag: "private"),
            Payloads.event(
                5, "a", from: "2026-11-21T09:00:00Z", to: "2026-11-21T11:30:00Z", meters: 1, tag: "private"),
        ])
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let day = instant("2026-11-21T00:00:00Z")..<instant("2026-11-22T00:00:00Z")
        let times = GeofenceTimes(
            in: day, try history.geofenceEvents(of: van, in: day), try history.timeline(of: van, in: day),
            until: day.upperBound)
        #expect(times.seconds == ["depot": 3600])
    }

    @Test("A trip that ends in private time exactly as a position follows is not of the driver of the position")
    func opening() async throws {
        let archive = try await Archive.make(
            .sqlite,
            [
                Payloads.event(
                    1, "private", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 9000,
                    isPrivate: true),
                Payloads.event(2, "work", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:00:00Z", meters: 5000),
                Payloads.position(3, at: "2026-11-21T08:00:00Z", driver: .string("anna")),
            ])
        let day = instant("2026-11-21T00:00:00Z")..<instant("2026-11-22T00:00:00Z")
        #expect(try archive.history().trips(ofDriver: "anna", in: day).map(\.event.eventID) == ["work"])
    }

    @Test("The tag private is private use: one line of the sums, and the column of private kilometres")
    func tag() throws {
        let start = instant("2026-11-21T07:00:00Z")
        var event = TimelineEventRevision(
            eventID: "a", uuid: nil, epoch: 1, seq: 1, revision: 1, isProvisional: false, type: .inTransport,
            startDate: start, endDate: start.advanced(bySeconds: 600), lastUpdateDate: start, duration: 600)
        (event.distanceInMeters, event.tag) = (187_070, "private")
        var marked = event
        (marked.isPrivate, marked.tag) = (true, "weekend")
        event.waypoints = []
        #expect(TripUse(event) == .privateUse && TripUse(marked) == .privateUse)
        var totals = TripTotals()
        totals.add(event)
        totals.add(marked)
        #expect(totals.metersByUse == [.privateUse: 374_140] && totals.taggedMeters == 0)
        #expect(totals.firstStart == nil && totals.lastEnd == nil)
        #expect(Report.Fact.facts(of: totals).count { $0.name == "of it private" } == 1)
    }

    @Test("Of a day of which nothing is known, also in the future, a report says that it is not known")
    func unknown() async throws {
        let archive = try await Archive.make(
            .sqlite,
            [
                Payloads.event(1, "trip", from: "2026-11-10T07:00:00Z", to: "2026-11-10T08:00:00Z", meters: 5000),
                Payloads.event(2, "stop", from: "2026-11-10T08:00:00Z", to: "2026-11-12T00:00:00Z"),
                Payloads.event(3, "last", from: "2026-11-14T08:00:00Z", to: nil),
            ])
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let days = LocalDay.days(
            from: CivilDate(year: 2026, month: 11, day: 1), before: CivilDate(year: 2026, month: 12, day: 1), in: .utc)
        let start = try #require(days.first?.span.lowerBound)
        let end = try #require(days.last?.span.upperBound)
        let events = try history.timeline(of: van, in: start..<end)
        let totals = DayTotals.of(days, events, in: .utc)
        #expect(totals.filter(\.isKnown).map(\.day.date.day) == [10, 11, 14])
        let month = Report.month(of: van, "2026-11", days, events, in: .utc)
        let expected = days.map { [10: "5.00", 11: "0.00", 14: "0.00"][$0.date.day] ?? "not known" }
        #expect(month.rows.map { $0[2].text } == expected)
        #expect(month.facts.contains(Report.Fact(name: "days not known", value: "27")))
        let csv = try ReportFormat.csv.text(of: [month]).split(separator: "\n")
        #expect(csv[13] == "2026-11-13,,,,,,,,,,,")
        let future = days[29]
        let day = Report.day(of: van, future, try history.timeline(of: van, in: future.span), in: .utc)
        #expect(day.facts == [Report.Fact(name: "distance", value: "not known")])
        var pages = try DayPages(vehicle: van, first: future.date, last: future.date, after: nil)
        let rows = try pages.read(from: history, limit: 1).rows
        #expect(rows.map { String(decoding: $0, as: UTF8.self) } == [#"{"day":"2026-11-30"}"#])
    }

    @Test("The driver of a day's trip is that of its positions, if the vehicle has set none")
    func drivers() async throws {
        let archive = try await Archive.make(
            .sqlite,
            [
                Payloads.event(1, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 5000),
                Payloads.event(
                    2, "set", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:00:00Z", meters: 5000, driver: "Ann Lee"),
                Payloads.position(3, at: "2026-11-21T07:30:00Z", driver: .string("42")),
                Payloads.position(4, at: "2026-11-21T08:00:00Z", driver: .string("43")),
            ])
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let date = CivilDate(year: 2026, month: 11, day: 21)
        let day = try #require(LocalDay.day(date, in: .utc))
        let events = try history.timeline(of: van, in: day.span)
        let report = Report.day(of: van, day, events, drivers: try history.drivers(of: van, during: events), in: .utc)
        #expect(report.rows.map { $0[7].text } == ["42", "Ann Lee"])
    }
}
