import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Reports")
struct ReportTests {
    private static func madrid() throws -> ZoneRules { try ZoneDirectory.system.rules(named: "Europe/Madrid") }

    /// A day in Madrid with trips on both sides of midnight: one is private, one has a tag.
    private static func archive(_ kind: DatabaseKind = .sqlite) async throws -> Archive {
        let archive = try await Archive.make(kind)
        try archive.store([
            Payloads.event(1, "night", from: "2026-11-20T18:00:00Z", to: "2026-11-21T07:00:00Z", place: "Home <b>"),
            Payloads.event(2, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 50_000),
            Payloads.event(3, "stop", from: "2026-11-21T08:00:00Z", to: "2026-11-21T16:00:00Z"),
            Payloads.event(
                4, "tagged", from: "2026-11-21T16:00:00Z", to: "2026-11-21T16:30:00Z", meters: 7000, tag: "=off"),
            Payloads.event(
                5, "private", from: "2026-11-21T22:30:00Z", to: "2026-11-21T23:30:00Z", meters: 3000, isPrivate: true),
            Payloads.event(6, "next", from: "2026-11-21T23:30:00Z", to: nil, meters: 100),
            Payloads.position(10, at: "2026-11-21T07:30:00Z", driver: .string("anna")),
            (van + "reported", Payloads.reported([], timeZone: "Europe/Madrid")),
        ])
        return archive
    }

    @Test(
        "A day begins and ends at midnight of the zone, and has 23 or 25 hours when the clocks change",
        arguments: [
            ("Europe/Madrid", "2026-11-21", "2026-11-20T23:00:00.000Z", 24.0),
            ("Europe/Madrid", "2026-03-29", "2026-03-28T23:00:00.000Z", 23.0),
            ("Europe/Madrid", "2026-10-25", "2026-10-24T22:00:00.000Z", 25.0),
            // Midnight does not exist: the clocks go from 24:00 to 01:00.
            ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z", 23.0),
            ("Pacific/Apia", "2011-12-30", nil, 0.0),
        ])
    func days(zone: String, date: String, start: String?, hours: Double) throws {
        let rules = try ZoneDirectory.system.rules(named: zone)
        let local = ZoneRules.utc.localTime(at: instant(date + "T00:00:00Z")).date
        let day = LocalDay.day(local, in: rules)
        #expect(day?.span.lowerBound.iso8601 == start)
        #expect((day?.hours ?? 0) == hours)
    }

    @Test("The days of a month follow each other without a gap")
    func month() throws {
        let zone = try Self.madrid()
        let days = LocalDay.days(
            from: CivilDate(year: 2026, month: 10, day: 1), before: CivilDate(year: 2026, month: 11, day: 1), in: zone)
        #expect(days.count == 31)
        for (day, next) in zip(days, days.dropFirst()) { #expect(day.span.upperBound == next.span.lowerBound) }
        let hours = days.reduce(0.0) { $0 + $1.hours }
        #expect(hours == 745)
    }

    @Test(
        "A trip counts on the day on which it begins, and its distance for the use that its records tell",
        arguments: DatabaseKind.allCases)
    func totals(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let history = try HistoryDatabase(archive.location)
        let van = try history.vehicle(named: "van-7", fleet: nil)
        #expect(van.timeZone == "Europe/Madrid")
        let zone = try Self.madrid()
        let days = LocalDay.days(
            from: CivilDate(year: 2026, month: 11, day: 20), before: CivilDate(year: 2026, month: 11, day: 23), in: zone
        )
        let start = try #require(days.first?.span.lowerBound)
        let end = try #require(days.last?.span.upperBound)
        let sums = DayTotals.of(days, try history.timeline(of: van, in: start..<end), in: zone).map(\.totals)
        #expect(sums.map(\.trips) == [0, 3, 1])
        #expect(sums.map(\.meters) == [0, 60_000, 100])
        #expect(sums.map(\.stops) == [1, 1, 0])
        #expect(sums[1].metersByUse == [.tagged("=off"): 7000, .privateUse: 3000])
        #expect(sums[1].transitSeconds == 9000 && sums[1].firstStart == instant("2026-11-21T07:00:00Z"))
        #expect(sums[1].lastEnd == instant("2026-11-21T16:30:00Z") && sums[2].lastEnd == nil)
    }

    /// Runs the built program.
    private static func run(_ archive: Archive, _ arguments: String...) async throws -> (
        code: ChildProcess.Ending, output: String, errors: String
    ) {
        let ran = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), arguments + ["--database", archive.location.description])
        return (ran.ending, ran.output, ran.errors)
    }

    @Test(
        "The report of a day has its trips and stops in the zone of the vehicle, as table, CSV and HTML",
        arguments: DatabaseKind.allCases)
    func day(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let options = ["report", "day", "--device", "van-7", "--date", "2026-11-21", "--format"]
        let table = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), options + ["table", "--database", archive.location.description])
        #expect(table.ending == .exited(0), "\(table.errors)")
        #expect(table.output.hasPrefix("acme/van-7, 2026-11-21\n"))
        #expect(table.output.contains("distance          60.00 km\n"))
        #expect(table.output.contains("of it private     3.00 km\n"))
        #expect(table.output.contains("08:00             09:00"))
        #expect(table.output.contains("2026-11-20 19:00  08:00"))
        // A private trip has sums only.
        #expect(table.output.contains("1 trip "), "\(table.output)")
        #expect(!table.output.contains("23:30") && !table.output.contains("00:30"))
        let csv = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), options + ["csv", "--database", archive.location.description])
        #expect(
            csv.output.hasPrefix(
                "start,end,seconds,type,km,place,use,driver,idle_seconds,harsh_events,odometer_start_km,odometer_end_km\n"
            ))
        #expect(
            csv.output.contains(
                "2026-11-21T17:00:00+01:00,2026-11-21T17:30:00+01:00,1800,IN_TRANSPORT,7.00,,'=off,,,,0.10,0.10\n"))
        let json = try await Self.run(
            archive, "report", "day", "--device", "van-7", "--date", "2026-11-21", "--json")
        #expect(json.code == .exited(0) && json.output.split(separator: "\n").count == 5, "\(json.errors)")
        #expect(
            json.output.contains(
                """
                {"driver":null,"end":"2026-11-21T17:30:00+01:00","harsh_events":null,"idle_seconds":null,\
                "km":7,"odometer_end_km":0.1,"odometer_start_km":0.1,"place":null,"seconds":1800,"start":"2026-11-21T17:00:00+01:00",\
                "type":"IN_TRANSPORT","use":"=off"}

                """), "\(json.output)")
        let html = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), options + ["html", "--database", archive.location.description])
        #expect(html.output.contains("Home &lt;b&gt;") && !html.output.contains("<b>"))
        #expect(!html.output.contains("<script"))
        // Each element is closed, so the page is also readable as XML after its first line.
        #expect(html.output.matches(of: #/<tr>/#).count == 6 && html.output.matches(of: #/<\/tr>/#).count == 6)
    }

    @Test(
        "The report of a month has a line for each day, and the report of a driver one for each trip",
        arguments: DatabaseKind.allCases)
    func commands(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let month = try await Self.run(
            archive, "report", "month", "--device", "van-7", "--month", "2026-11", "--format", "csv")
        let lines = month.output.split(separator: "\n")
        #expect(month.code == .exited(0) && lines.count == 31, "\(month.errors)")
        #expect(
            lines[21]
                == "2026-11-21,3,60.00,3.00,7.00,9000,1,,2026-11-21T08:00:00+01:00,2026-11-21T17:30:00+01:00,,0.10")
        let driver = try await Self.run(
            archive, "report", "driver", "--driver", "anna", "--from", "2026-11-21", "--time-zone", "Europe/Madrid")
        #expect(driver.code == .exited(0) && driver.output.hasPrefix("Driver anna\n"), "\(driver.errors)")
        #expect(driver.output.contains("trips             1\n") && driver.output.contains("50.00"))
    }

    @Test("The reports of all vehicles or of a group come by one command", arguments: DatabaseKind.allCases)
    func several(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        var other = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([], timeZone: "Europe/Madrid"))
        other.groups = ["vans"]
        try archive.store([
            ("fleet/acme/van-8/reported", try JSONCoder.bytes(of: other)),
            ("fleet/other/van-7/reported", Payloads.reported([])),
        ])
        let csv = try await Self.run(
            archive, "report", "day", "--all", "--fleet", "acme", "--date", "2026-11-21", "--format", "csv")
        let lines = csv.output.split(separator: "\n")
        #expect(csv.code == .exited(0) && lines.first?.hasPrefix("fleet,device,start,end,") == true, "\(csv.errors)")
        #expect(lines.count == 6 && lines.dropFirst().allSatisfy { $0.hasPrefix("acme,van-7,") })
        let html = try await Self.run(
            archive, "report", "day", "--all", "--date", "2026-11-21", "--format", "html")
        #expect(html.output.matches(of: #/<h2>/#).count == 3 && html.output.matches(of: #/<footer>/#).count == 1)
        let month = try await Self.run(
            archive, "report", "month", "--group", "vans", "--month", "2026-11", "--format", "csv")
        #expect(month.code == .exited(0) && month.output.split(separator: "\n").count == 31, "\(month.errors)")
        #expect(month.output.contains("acme,van-8,2026-11-21,,") && !month.output.contains("van-7"))
        let none = try await Self.run(archive, "report", "month", "--group", "trucks", "--month", "2026-11")
        #expect(none.code == .exited(65) && none.errors.contains("no vehicle of the group trucks"), "\(none.errors)")
        let driver = try await Self.run(
            archive, "report", "driver", "--driver", "anna", "--group", "vans", "--from", "2026-11-21", "--json")
        #expect(driver.code == .exited(0) && driver.output.isEmpty, "\(driver.errors)")
    }

    @Test(
        "All drivers have a line with the sums of their trips, and private trips have no driver",
        arguments: DatabaseKind.allCases)
    func drivers(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        try archive.store([
            (
                "fleet/acme/van-8/timeline",
                try Payloads.event(1, "other", from: "2026-11-21T09:00:00Z", to: "2026-11-21T10:00:00Z", meters: 20_000)
                    .payload
            ),
            (
                "fleet/acme/van-8/location",
                try Payloads.position(2, at: "2026-11-21T09:30:00Z", driver: .string("anna")).payload
            ),
            (
                "fleet/acme/van-8/location",
                try Payloads.position(3, at: "2026-11-21T09:40:00Z", driver: .string("ben")).payload
            ),
        ])
        let ran = try await Self.run(
            archive, "report", "driver", "--all", "--from", "2026-11-21", "--to", "2026-11-22", "--format", "csv")
        #expect(ran.code == .exited(0), "\(ran.errors)")
        #expect(
            ran.output.split(separator: "\n") == [
                "driver,use,trips,km,transit_seconds,harsh_events,vehicles",
                "anna,,2,70.00,7200,,\"acme/van-7, acme/van-8\"", "ben,,1,20.00,3600,,acme/van-8",
                ",,2,7.10,1800,,acme/van-7", ",private,1,3.00,3600,,acme/van-7",
            ])
        // The trip of two drivers counts once in the sum.
        let table = try await Self.run(archive, "report", "driver", "--group", "none")
        #expect(table.code == .exited(65), "\(table.output)")
        let all = try await Self.run(archive, "report", "driver", "--from", "2026-11-21", "--to", "2026-11-22")
        #expect(all.output.contains("trips             5\n") && all.output.contains("80.10 km"), "\(all.output)")
    }

    @Test(
        "The time in geofences comes as rows of vehicles and geofences, also for programs",
        arguments: DatabaseKind.allCases)
    func geofenceRows(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let ran = try await Self.run(
            archive, "report", "geofences", "--all", "--to", "2026-11-22", "--time-zone", "Europe/Madrid", "--json")
        #expect(ran.code == .exited(0), "\(ran.errors)")
        #expect(
            ran.output == #"""
                {"device":"van-7","fleet":"acme","geofence":"id","name":"Home <b>","seconds":46800}

                """#)
        let table = try await Self.run(archive, "report", "geofences", "--device", "van-7", "--from", "2026-11-21")
        #expect(table.output.contains("in Home <b>       8 h"), "\(table.output)")
        let none = try await Self.run(archive, "report", "geofences")
        #expect(none.code == .exited(64) && none.errors.contains("--all"), "\(none.errors)")
    }

    @Test("The time in geofences is that of visits and stops, each moment once, without private use")
    func geofences() throws {
        func crossing(
            _ action: GeofenceTrigger.Action, _ identifier: String, at time: String, dwell: Double? = nil
        ) -> GeofenceTrigger {
            var event = GeofenceTrigger(
                identifier: identifier, action: action, occurredAt: instant(time), confirmedAt: instant(time))
            event.dwell = dwell
            return event
        }
        func event(_ message: Archive.Message) throws -> TimelineEventRevision {
            try JSONCoder.decode(TimelineMessage.self, from: message.payload).timelineEvent
        }
        let day = instant("2026-11-21T00:00:00Z")..<instant("2026-11-22T00:00:00Z")
        let crossings = [
            // It began on the day before.
            crossing(.exit, "night", at: "2026-11-21T02:00:00Z", dwell: 36_000),
            crossing(.enter, "site", at: "2026-11-21T08:00:00Z"), crossing(.exit, "site", at: "2026-11-21T09:00:00Z"),
            crossing(.enter, "depot", at: "2026-11-21T20:00:00Z"),
        ]
        let events = [
            // The times of the stop at the site and of the visit differ by half an hour.
            try event(Payloads.event(1, "a", from: "2026-11-21T08:30:00Z", to: "2026-11-21T09:30:00Z", place: "Yard")),
            try event(
                Payloads.event(
                    2, "b", from: "2026-11-21T21:00:00Z", to: "2026-11-21T22:00:00Z", meters: 1, isPrivate: true)),
        ]
        let times = GeofenceTimes(in: day, crossings, events, until: instant("2026-11-21T23:00:00Z"))
        #expect(times.seconds == ["night": 7200, "site": 3600, "id": 3600, "depot": 7200])
        #expect(times.facts.first { $0.name == "in Yard" }?.value == "1 h")
        let none = GeofenceTimes(in: day, [], [], until: day.upperBound)
        #expect(none.facts.isEmpty)
    }

    @Test(
        "A time inside a visit counts, however long before it the vehicle has entered",
        arguments: DatabaseKind.allCases)
    func longVisits(kind: DatabaseKind) async throws {
        func crossing(
            _ seq: Int64, _ action: GeofenceTrigger.Action, _ identifier: String, at time: String, tag: String? = nil
        ) throws -> Archive.Message {
            try Payloads.position(seq, at: time, geofence: identifier) { event in
                event.geofence?.action = action
                event.tag = tag
            }
        }
        let archive = try await Archive.make(
            kind,
            [
                crossing(1, .enter, "depot", at: "2026-09-01T08:00:00Z"),
                crossing(2, .enter, "site", at: "2026-09-02T08:00:00Z"),
                crossing(3, .exit, "site", at: "2026-09-02T09:00:00Z"),
                crossing(4, .enter, "home", at: "2026-09-03T08:00:00Z", tag: "private"),
                crossing(5, .dwell, "depot", at: "2026-09-04T08:00:00Z"),
                crossing(6, .exit, "depot", at: "2026-11-23T12:00:00Z"),
            ])
        let history = try archive.history()
        let van = try history.vehicle(named: "van-7", fleet: nil)
        let expected: [(String, [String: Double])] = [
            ("2026-09-01", ["depot": 57_600]), ("2026-11-21", ["depot": 86_400]), ("2026-11-23", ["depot": 43_200]),
            ("2026-11-24", [:]),
        ]
        for (date, seconds) in expected {
            let start = instant(date + "T00:00:00Z")
            let day = start..<start.advanced(bySeconds: 86_400)
            let crossings = try history.geofenceEvents(of: van, in: day)
            #expect(GeofenceTimes(in: day, crossings, [], until: day.upperBound).seconds == seconds, "\(date)")
        }
    }

    @Test("The visits that last are found by an index of the geofence events")
    func visitPlan() throws {
        let archive = try Archive()
        let plan = try archive.rows("EXPLAIN QUERY PLAN " + HistoryDatabase.lastingVisits).map { $0[3] }
        #expect(plan.contains { $0.contains("records_of_geofences (vehicle=? AND time<?)") }, "\(plan)")
    }

    @Test("A vehicle whose zone is not known here has its report in UTC, with a note, and the others have theirs")
    func unknownZone() async throws {
        let archive = try await Self.archive()
        try archive.store([("fleet/acme/van-8/reported", Payloads.reported([], timeZone: "Mars/Olympus"))])
        for report in [["month", "--month", "2026-11"], ["day", "--date", "2026-11-21"]] {
            let options = ["report"] + report + ["--all", "--database", archive.location.description]
            let table = try await ChildProcess.run(BuiltProgram.path("odograph-recorder"), options)
            #expect(table.ending == .exited(0) && table.errors.isEmpty, "\(table.errors)")
            #expect(table.output.contains("The zone of acme/van-8 is not known here") && table.output.contains("Mars"))
            #expect(table.output.contains("Europe/Madrid"))
            let csv = try await ChildProcess.run(
                BuiltProgram.path("odograph-recorder"), options + ["--format", "csv"])
            #expect(csv.ending == .exited(0) && csv.errors.contains("acme/van-8"), "\(csv.errors)")
            #expect(csv.output.contains("acme,van-7,2026-11-21") && !csv.output.contains("is not known here"))
        }
    }

    @Test("The report of a driver has the zone of the one vehicle, and UTC for several")
    func driverZone() async throws {
        let archive = try await Self.archive()
        let options = ["--driver", "anna", "--from", "2026-11-21", "--format", "csv"]
        for (vehicles, start) in [
            (["--device", "van-7"], "2026-11-21T08:00:00+01:00"), (["--all"], "2026-11-21T07:00:00"),
        ] {
            let ran = try await ChildProcess.run(
                BuiltProgram.path("odograph-recorder"),
                ["report", "driver", "--database", archive.location.description] + vehicles + options)
            #expect(ran.ending == .exited(0) && ran.output.contains("\n" + start), "\(ran.output) \(ran.errors)")
        }
    }

    @Test(
        "Export and latest print the records of the database",
        arguments: DatabaseKind.allCases)
    func export(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let track = try await Self.run(archive, "export", "--device", "van-7", "--format", "csv")
        #expect(track.code == .exited(0) && track.output.split(separator: "\n").count == 2, "\(track.errors)")
        let none = try await Self.run(
            archive, "export", "--device", "van-7", "--format", "jsonl", "--to", "2020-01-01")
        #expect(none.code == .exited(0) && none.output.isEmpty && none.errors.contains("no such records"))
        let latest = try await Self.run(archive, "latest")
        #expect(latest.code == .exited(0) && latest.output.contains("van-7"), "\(latest.errors)")
    }

    @Test(
        "Wrong use is refused with its correction",
        arguments: [
            (["export", "--device", "van-9", "--format", "csv"], 65, "no vehicle van-9"),
            (["export", "--device", "van-7", "--format", "pdf"], 64, "gpx, geojson, csv, jsonl"),
            (["export", "--device", "van-7", "--format", "csv", "--from", "yesterday"], 64, "write it like"),
            (["report", "day", "--device", "van-7", "--date", "2026-02-30"], 64, "write it like 2026-11-21"),
            (["report", "day", "--device", "van-7", "--json", "--format", "csv"], 64, "not both"),
            (["report", "month", "--device", "van-7", "--month", "2026"], 64, "write it like 2026-11"),
            (["report", "day", "--device", "van-7", "--time-zone", "Europe/Madird"], 64, "Europe/Madrid"),
            (["report", "day"], 64, "exactly one of --device NAME, --group NAME and --all"),
            (["report", "day", "--device", "van-7", "--all"], 64, "exactly one of"),
            (["import", "/nonexistent", "--vehicle", "acme/van-7"], 66, "/nonexistent"),
            (["import", "/nonexistent", "--vehicle", "van-7"], 64, "FLEET/NAME"),
        ])
    func wrongUse(arguments: [String], code: Int32, sentence: String) async throws {
        let archive = try await Self.archive()
        let ran = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), arguments + ["--database", archive.location.description])
        #expect(ran.ending == .exited(code), "\(ran.errors)")
        #expect(ran.errors.contains(sentence), "\(ran.errors)")
    }

    @Test(
        "Each command has a help",
        arguments: [
            ["export"], ["latest"], ["report"], ["report", "day"], ["report", "month"], ["report", "driver"],
            ["import"],
        ])
    func help(command: [String]) async throws {
        let ran = try await ChildProcess.run(BuiltProgram.path("odograph-recorder"), command + ["--help"])
        #expect(ran.ending == .exited(0) && ran.output.contains("USAGE: odograph-recorder"), "\(ran.errors)")
    }

    @Test("A missing database is an error that names it")
    func missing() async throws {
        let ran = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), ["latest", "--database", "/nonexistent/recorder.db"])
        #expect(ran.ending == .exited(66) && ran.errors.contains("/nonexistent/recorder.db"), "\(ran.errors)")
    }
}
