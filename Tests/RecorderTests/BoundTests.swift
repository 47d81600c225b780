import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

/// Messages with each number, time and text at and beyond its bounds, through everything that reads a database.
@Suite("Values at the bounds of the contract")
struct BoundTests {
    /// Messages with all members that have a number, as text.
    private static let originals: [(channel: String, text: String)] = [
        (
            "location",
            """
            {"device_id":"van-7","location":{"uuid":"u","epoch":7,"seq":1,"timestamp":"2026-11-21T09:15:02.000Z",
            "age":5,"is_moving":true,"sample":false,"mock":false,"odometer":10,"odometer_error":1,"coords":
            {"latitude":40,"longitude":3,"accuracy":4,"speed":9,"heading":90,"altitude":100,"ellipsoidal_altitude":150},
            "activity":{"type":"in_vehicle","confidence":90},"battery":{"level":0.5,"is_charging":true},"event":"driving",
            "driving":{"kind":"braking","peak_g":0.5,"duration":2,"started_at":"2026-11-21T09:15:02.000Z"},
            "beacons":["b"],"driver":"Ann","extras":{"x":1},"vehicle":{"speed":9,"odometer":1000,"engine_speed":900,
            "battery_voltage":12,"fuel_level":0.5,"state_of_charge":0.5,"source":"obd","age":1}}}
            """
        ),
        (
            "location",
            """
            {"device_id":"van-7","location":{"uuid":"u","epoch":7,"seq":1,"timestamp":"2026-11-21T09:15:02.000Z",
            "age":5,"is_moving":true,"sample":false,"mock":false,"odometer":10,"odometer_error":1,"coords":
            {"latitude":40,"longitude":3,"accuracy":4,"speed":9,"heading":90},
            "activity":{"type":"in_vehicle","confidence":90},"event":"beacon",
            "beacon":{"identifier":"b","action":"ENTER","rssi":-70}}}
            """
        ),
        (
            "geofence",
            """
            {"device_id":"van-7","location":{"uuid":"u","epoch":7,"seq":1,"timestamp":"2026-11-21T09:15:02.000Z",
            "age":5,"is_moving":true,"sample":false,"mock":false,"odometer":10,"odometer_error":1,"coords":
            {"latitude":40,"longitude":3,"accuracy":4,"speed":9,"heading":90},
            "activity":{"type":"in_vehicle","confidence":90},"event":"geofence","geofence":{"identifier":"depot",
            "action":"OVERSPEED","occurred_at":"2026-11-21T09:15:02.000Z","confirmed_at":"2026-11-21T09:15:02.000Z",
            "dwell":3,"peak_speed":20,"speed_limit":10,"duration":3}}}
            """
        ),
        (
            "timeline",
            """
            {"device_id":"van-7","timeline_event":{"event_id":"e","uuid":"u","epoch":7,"seq":1,"revision":1,
            "is_provisional":false,"type":"IN_TRANSPORT","start_date":"2026-11-21T08:00:00.000Z",
            "end_date":"2026-11-21T09:00:00.000Z","last_update_date":"2026-11-21T09:00:00.000Z","duration":3600,
            "transport_mode":"CAR","distance_in_meters":5000,"carried_in_meters":300,"idle_seconds":9,"driver":"Ann","driving":{"acceleration":1,
            "braking":1,"cornering":1,"maximum_speed":30,"overspeed_share":0.5},"waypoints":[{"latitude":40,
            "longitude":3,"accuracy":4,"timestamp":"2026-11-21T08:00:00.000Z","speed":9}]}}
            """
        ),
        (
            "timeline",
            """
            {"device_id":"van-7","timeline_event":{"event_id":"e","uuid":"u","epoch":7,"seq":1,"revision":1,
            "is_provisional":false,"type":"OFF_THE_GRID","start_date":"2026-11-21T08:00:00.000Z",
            "end_date":"2026-11-21T09:00:00.000Z","last_update_date":"2026-11-21T09:00:00.000Z","duration":3600,
            "distance_in_meters":5000,"distance_error_in_meters":50,"reason":"no_fix"}}
            """
        ),
        (
            "timeline",
            """
            {"device_id":"van-7","timeline_event":{"event_id":"e","uuid":"u","epoch":7,"seq":1,"revision":1,
            "is_provisional":true,"type":"STATIONARY","start_date":"2026-11-21T08:00:00.000Z","end_date":null,
            "last_update_date":"2026-11-21T09:00:00.000Z","duration":3600,"location":{"latitude":40,"longitude":3,
            "accuracy":4},"venue":{"identifier":"depot"}}}
            """
        ),
        (
            "given_up",
            """
            {"device_id":"van-7","given_up":{"uuid":"u","epoch":7,"seq":1,"timestamp":"2026-11-21T09:00:00.000Z",
            "ranges":[{"epoch":3,"from":1,"to":2,"reason":"quota"}]}}
            """
        ),
        (
            "status",
            """
            {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","version":"1",
            "timestamp":"2026-11-21T09:00:00.000Z","budget":{"bytes":1,"limit":9,"overshoot":0,"step":"normal"},
            "queue":{"depth":1,"oldest":"2026-11-21T09:00:00.000Z"}}
            """
        ),
        (
            "reported",
            """
            {"device_id":"van-7","timestamp":"2026-11-21T09:00:00.000Z","agent_version":"1","levels":[],"errors":[],
            "configuration":{"tracking":{"heartbeat_interval":60}},"configuration_hash":"h","within_schedule":true,
            "next_schedule_changes":[{"at":"2026-11-21T09:00:00.000Z","within_schedule":true}],
            "tracking":{"enabled":true},"geofences":{"count":1,"hash":"","levels":[{"level":"all","applied":true,
            "count":1,"error_count":1,"single_count":1}],"errors":[{"topic":"t","path":"p","line":1,"message":"m"}]},
            "ledger":[{"epoch":3,"from":1,"to":2,"count":2,"kind":"location","reason":"quota",
            "at":"2026-11-21T09:00:00.000Z"}],"queue":{"depth":1,"oldest":"2026-11-21T09:00:00.000Z"},
            "receipts":[{"recorder":"main","database_id":"s","revision":1,"received_at":"2026-11-21T09:00:00.000Z"}],
            "time_zone":"Europe/Madrid","features":["receipts"],
            "budget":{"bytes":1,"limit":9,"overshoot":0,"step":"normal"}}
            """
        ),
    ]

    private static let numbers = [
        "0", "1", "-1", "0.5", "-0.0", "1e-400", "1000", "1000000000", "1000000000000", "320000000000",
        "9007199254740991", "9007199254740992", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551616", "1e18", "1e19", "1e300", "1e308", "-1e308", "1e309", "01", "NaN", "null", "\"7\"",
    ]
    private static let times = [
        "\"0000-01-01T00:00:00.000Z\"", "\"0001-01-01T00:00:00.000Z\"", "\"1970-01-01T00:00:00.000Z\"",
        "\"9999-12-31T23:59:59.999Z\"", "\"9999-99-99T99:99:99.999Z\"", "\"\"", "null",
    ]
    private static let texts = [
        "\"\\u0000\"", "\"\\ud800\"", "\"'; DROP TABLE records; --\"", "\"=1+1\"", "\"\\u202e\"",
        "\"\(String(repeating: "long", count: 2000))\"",
    ]

    /// Returns each message with each value in the place of each value of its kind. Each record has a number of its
    /// own.
    private static func messages() -> [Archive.Message] {
        var messages: [Archive.Message] = []
        for original in originals {
            let text = original.text.replacing("\n", with: "")
            for (pattern, values) in [
                (#/:(-?[0-9][0-9.]*)/#, numbers), (#/:("2026-[^"]*")/#, times), (#/:("[A-Za-z_]+")/#, texts),
            ] {
                for match in text.matches(of: pattern) {
                    for value in values {
                        var changed = text
                        changed.replaceSubrange(match.output.1.startIndex..<match.output.1.endIndex, with: value)
                        let number = messages.count + 1000
                        changed = changed.replacing("\"seq\":1,", with: "\"seq\":\(number),")
                            .replacing("\"event_id\":\"e\"", with: "\"event_id\":\"e\(number)\"")
                        messages.append((van + original.channel, Array(changed.utf8)))
                    }
                }
            }
        }
        return messages
    }

    @Test("Every number of the contract is in these messages")
    func complete() {
        let forms: [(String, MessageForm)] = [
            ("location", LocationMessage.form), ("timeline", TimelineMessage.form), ("given_up", GivenUpMessage.form),
            ("status", StatusMessage.form), ("reported", ReportedMessage.form),
        ]
        for (channel, form) in forms {
            let texts = Self.originals.filter {
                $0.channel == channel || channel == "location" && $0.channel == "geofence"
            }
            for name in Self.numberNames(in: form) {
                #expect(texts.contains { $0.text.contains("\"\(name)\":") }, "\(channel): \(name)")
            }
        }
    }

    private static func numberNames(in form: MessageForm) -> [String] {
        switch form {
        case .free, .text, .number: []
        case .list(let element, _): numberNames(in: element)
        case .map(let element): numberNames(in: element)
        case .object(let members):
            members.all.flatMap { name, form in
                if case .number = form { [String(decoding: name, as: UTF8.self)] } else { numberNames(in: form) }
            }
        }
    }

    /// The database of all messages, with rules of all kinds.
    private static func archive(_ kind: DatabaseKind) async throws -> (Archive, accepted: Int) {
        let archive = try await Archive.make(kind)
        let target = NotificationTarget.command(["/bin/true"])
        let conditions: [RuleCondition] = [
            .silent(seconds: 60), .geofence(identifiers: [], events: [.enter, .exit]),
            .overspeed(speed: 10, seconds: 0), .geofenceOverspeed(identifiers: []), .driving,
            .beacon(identifiers: [], events: [.enter, .exit]), .tow, .rejectedConfiguration, .gap(seconds: 60),
            .noPosition(seconds: 60),
        ]
        try archive.database.begin(
            conditions.enumerated().map {
                Rule(
                    name: "r\($0)", condition: $1, fleet: nil, device: nil, target: target, notifiesEnd: true,
                    lateSeconds: 1e9)
            })
        let entries = Archive.entries(messages())
        try archive.database.write(entries)
        let accepted = entries.count { if case .message = $0.content { true } else { false } }
        return (archive, accepted)
    }

    @Test(
        "Each reader of a database works, whatever a vehicle has stated", arguments: DatabaseKind.allCases)
    func readers(kind: DatabaseKind) async throws {
        let (archive, accepted) = try await Self.archive(kind)
        #expect(accepted > 500)
        let history = try archive.history()
        let vehicle = try history.vehicle(named: "van-7", fleet: nil)
        let always = instant("0001-01-01T00:00:00Z")..<instant("9999-12-31T23:59:59Z")
        let year = instant("2026-06-01T00:00:00Z")..<instant("2027-05-01T00:00:00Z")
        let zone = try ZoneDirectory.system.rules(named: "Europe/Madrid")
        let events = try history.timeline(of: vehicle, in: always)
        #expect(events.count > 100)
        let days = LocalDay.days(
            from: zone.localTime(at: instant("2026-11-20T12:00:00Z")).date,
            before: zone.localTime(at: instant("2026-11-23T12:00:00Z")).date, in: zone)
        let trips = try history.trips(ofDriver: "Ann", in: always)
        #expect(trips.count > 100)
        for format in ReportFormat.allCases {
            var reports = days.map { Report.day(of: vehicle, $0, events, in: zone) }
            reports += [Report.month(of: vehicle, "2026-11", days, events, in: zone), .driver("Ann", trips, in: zone)]
            for report in reports {
                let text = try format.text(of: [report])
                #expect(text.firstMatch(of: #/\b(inf|nan)\b|e\+/#) == nil, "\(format)")
            }
        }
        for format in ExportFormat.allCases {
            _ = try RecordExport(vehicle, in: always, as: format).write(from: history) { _ in }
        }
        for query: HistoryRequest.Query in [
            .track(device: "van-7", times: year), .timeline(device: "van-7", times: year), .latest,
            .alerts(device: nil, times: year),
            .days(device: "van-7", first: days[0].date, last: days[2].date),
        ] {
            var settings = HistorySettings()
            settings.days = 366
            var pages = try HistoryRequest(query).pages(of: "acme", within: settings, in: history)
            while try pages.read(from: history, limit: 500).next != nil {}
        }
        for hasPayload in [true, false] {
            let positions = try history.latestPositions(fleet: nil, hasPayload: hasPayload)
            _ = LatestPosition.table(positions)
            if hasPayload { _ = try LatestPosition.jsonLines(positions) }
        }
        let status = try RecorderStatus(of: archive.location)
        _ = (status.text, try status.json())
        _ = RecorderMetrics(counters: RecorderCounters().current(), status: status, date: .now).text
        let coverage = try archive.database.records.coverage(of: DeviceAddress(fleet: "acme", device: "van-7"))
        let receipt = coverage.receipt(databaseID: "s", revision: 1, interval: 600, requiresBackup: false)
        _ = try Receipt(message: JSONCoder.bytes(of: receipt))
        try archive.database.tick(connectedSince: .now - .seconds(90_000), gaps: [])
        let notifications = try archive.database.dueNotifications(after: ["r3": 0, "r4": 0, "r5": 0])
        #expect(!notifications.isEmpty)
    }

    @Test("Each stored payload is JSON for the database, too", arguments: DatabaseKind.allCases)
    func payloads(kind: DatabaseKind) async throws {
        let (archive, _) = try await Self.archive(kind)
        let column = kind == .sqlite ? "json_valid(payload)" : "payload::jsonb IS NOT NULL"
        #expect(try archive.rows("SELECT count(*) FROM records WHERE NOT \(column)") == [["0"]])
    }
}
