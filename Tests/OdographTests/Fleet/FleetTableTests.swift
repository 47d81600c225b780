import OdographCivilTime
import OdographJSON
import Testing
import OdographWire

@testable import Odograph
@testable import OdographOperator

@Suite("The fleet's table")
struct FleetTableTests {
    private static let now = Timestamp(iso8601: "2026-11-21T12:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)

    private static func ago(_ seconds: Double) -> Timestamp { now.advanced(bySeconds: -seconds) }

    private static func document(_ text: String) -> DesiredDocument { DesiredDocument(Array(text.utf8)) }

    private static func status(_ state: StatusMessage.State, _ reason: StatusMessage.Reason, _ seconds: Double)
        -> StatusMessage
    {
        StatusMessage(
            deviceID: "x", state: state, reason: reason, connection: 1, bootID: "", runID: "r", version: "1",
            timestamp: ago(seconds))
    }

    private static func report(
        _ levels: [ReportedConfigurationLevel], errors: [ReportedConfigurationError] = [], groups: [String]? = nil,
        seconds: Double = 60
    ) -> ReportedMessage {
        ReportedMessage(
            deviceID: "x", timestamp: ago(seconds), agentVersion: "1", groups: groups, levels: levels, errors: errors,
            configuration: nil, configurationHash: "", withinSchedule: true, nextScheduleChanges: [],
            tracking: TrackingState(isEnabled: true, offSchedule: nil, isMoving: nil), geofences: ReportedGeofences(),
            ledger: [], queue: QueueState(depth: 1234, oldest: nil), features: [])
    }

    private static func level(_ name: String, _ text: String, isApplied: Bool = true) -> ReportedConfigurationLevel {
        let document = document(text)
        return ReportedConfigurationLevel(
            level: name, version: document.version, hash: document.hash, isApplied: isApplied)
    }

    private static let (old, new) = ("{ version: '1' }", "{ version: '2' }")

    /// A fleet that contains every state.
    private static let table: FleetTable = {
        var vehicles: [String: FleetClient.Vehicle] = [:]
        vehicles["van-2"] = FleetClient.Vehicle(
            status: status(.online, .connected, 3700), report: report([level("all", new)]), positionAt: ago(4))
        vehicles["van-10"] = FleetClient.Vehicle(
            status: status(.online, .connected, 30),
            report: report([level("all", new), level("van-10", "{ extras: 1 }")]), positionAt: ago(2))
        vehicles["van-3"] = FleetClient.Vehicle(
            status: status(.offline, .connectionLost, 90_000), report: report([level("all", old)], seconds: 9000),
            positionAt: ago(7200))
        let refused = ReportedConfigurationError(
            topic: "fleet/acme/all/config", path: "tracking", value: nil, message: "no")
        vehicles["van-4"] = FleetClient.Vehicle(
            status: status(.online, .connected, 5),
            report: report([level("all", new, isApplied: false)], errors: [refused], groups: ["new"]))
        vehicles["van-5"] = FleetClient.Vehicle(status: status(.offline, .stopped, 600), report: nil)
        vehicles["van-6"] = FleetClient.Vehicle(status: nil, report: nil, positionAt: ago(1))
        let desired = ["all": document(new), "group:new": document("{}"), "nobody": document(new)]
        return FleetTable(vehicles, desired: desired)
    }()

    private static func row(_ name: String) throws -> FleetRow {
        try #require(table.rows.first { $0.name == name })
    }

    @Test("A certificate that ends within 45 days needs attention, and the table and the JSON name its end")
    func certificates() throws {
        func vehicle(_ ends: CertificateEnds) -> FleetClient.Vehicle {
            var report = Self.report([])
            report.certificates = ends
            return FleetClient.Vehicle(status: Self.status(.online, .connected, 30), report: report)
        }
        func day(_ count: Double) -> Timestamp { Self.now.advanced(bySeconds: count * 86_400) }
        let table = FleetTable(
            [
                "van-1": vehicle(CertificateEnds(vehicle: day(46), broker: day(700))),
                "van-2": vehicle(CertificateEnds(vehicle: day(700), broker: day(44.5), authority: day(46))),
                "van-3": vehicle(CertificateEnds(vehicle: day(-1), broker: day(44))),
            ], desired: [:], now: Self.now)
        #expect(table.rows.map(\.name) == ["van-2", "van-3", "van-1"])
        let lines = table.lines(now: Self.now)
        #expect(lines[1].contains("certificate of broker ends in 44 days"), "\(lines)")
        #expect(lines[2].contains("certificate of vehicle has ended"), "\(lines)")
        #expect(!lines[3].contains("certificate"), "\(lines)")
        let json = try table.json().split(separator: "\n")
        #expect(json[0].contains(#""certificates":{"authority":""#) && json[0].contains(day(44.5).iso8601), "\(json)")
    }

    @Test("Vehicles that need attention come first, then all are sorted by name in numeric order")
    func order() {
        #expect(Self.table.rows.map(\.name) == ["van-4", "van-3", "van-5", "van-6", "van-10", "van-2"])
    }

    @Test("A document is in force, behind, refused, or no longer at the broker")
    func levels() throws {
        #expect(try Self.row("van-2").levels.map(\.label) == ["all 2"])
        #expect(try Self.row("van-3").levels.map(\.label) == ["all 1 → 2"])
        #expect(try Self.row("van-4").levels.map(\.label) == ["all 2 refused", "group:new → #44136fa"])
        let kept = try Self.row("van-10")
        #expect(kept.levels.map(\.state) == [.inForce, .unretained])
        #expect(kept.levels.last?.label.hasSuffix(", not at the broker") == true)
        #expect(kept.configuration == .unretained)
        #expect(try Self.row("van-5").configuration == .unknown)
    }

    @Test("A vehicle whose connection was lost is silent since its last message, not since its connection")
    func silent() throws {
        let lost = try Self.row("van-3")
        #expect((lost.presence, lost.since) == (.silent, Self.ago(7200)))
        #expect(try Self.row("van-5").presence == .stopped)
        #expect(try Self.row("van-6").presence == .unknown)
    }

    @Test("The queue of a stopped vehicle is that of its last status, with the time of the stop")
    func stoppedQueue() throws {
        var status = Self.status(.offline, .stopped, 600)
        status.queue = QueueState(depth: 7, oldest: Self.ago(700))
        func row(_ report: ReportedMessage?) throws -> FleetRow {
            let vehicle = FleetClient.Vehicle(status: status, report: report)
            return try #require(FleetTable(["van-1": vehicle], desired: [:]).rows.first)
        }
        let stale = try row(Self.report([], seconds: 4000))
        #expect(stale.queueDepth == 7 && stale.queueAt == Self.ago(600))
        #expect(try row(nil).queueDepth == 7)
        // A will has no queue: the report is the newest that is known.
        status.queue = nil
        #expect(try row(Self.report([], seconds: 4000)).queueAt == Self.ago(4000))
    }

    @Test("The version of an agent is that of the newer of its status and its report, in the table and in the JSON")
    func agentVersion() throws {
        var (status, report) = (Self.status(.online, .connected, 60), Self.report([], seconds: 30))
        (status.version, report.agentVersion) = ("1.2.3", "1.3.0")
        var older = report
        older.timestamp = Self.ago(90)
        let vehicles = [
            "van-1": FleetClient.Vehicle(status: status, report: report),
            "van-2": FleetClient.Vehicle(status: status, report: older),
            "van-3": FleetClient.Vehicle(status: status, report: nil),
            "van-4": FleetClient.Vehicle(status: nil, report: older),
            "van-5": FleetClient.Vehicle(status: nil, report: nil, positionAt: Self.ago(1)),
        ]
        let table = FleetTable(vehicles, desired: [:])
        let versions = Dictionary(uniqueKeysWithValues: table.rows.map { ($0.name, $0.agentVersion) })
        let newer: [String: String?] = [
            "van-1": "1.3.0", "van-2": "1.2.3", "van-3": "1.2.3", "van-4": "1.3.0", "van-5": nil,
        ]
        #expect(versions == newer)
        let lines = table.lines(now: Self.now)
        #expect(lines[0].contains("AGENT"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("van-2") && $0.contains("1.2.3") }, "\(lines)")
        let json = try table.json()
        #expect(json.contains(#""agent_version":"1.3.0""#) && json.contains(#""agent_version":null"#), "\(json)")
    }

    @Test("A terminal of 80 columns shows the queue")
    func queueColumn() {
        let lines = Self.table.lines(width: 80, now: Self.now)
        #expect(lines[0].contains("QUEUE"), "\(lines[0])")
        #expect(lines.contains { $0.contains("1,234") }, "\(lines)")
    }

    @Test("The summary counts vehicles and configurations")
    func summary() {
        #expect(
            Self.table.summary
                == "6 vehicles: 3 online, 1 silent, 1 stopped, 1 never seen; 1 refused, 1 behind, 1 not at broker, 1 in force"
        )
        #expect(FleetTable([:], desired: [:]).summary == "no vehicles")
    }

    @Test("No line is wider than the terminal, and vehicle, state and configuration are always shown")
    func widths() {
        for width in [20, 40, 60, 80, 100, 140, 200] {
            let lines = Self.table.lines(width: width, now: Self.now)
            #expect(lines.count == 7)
            #expect(lines.allSatisfy { $0.count <= width }, "\(width): \(lines)")
            if width >= 60 {
                #expect(lines[0].hasPrefix("VEHICLE"))
                #expect(lines[0].contains("STATE") && lines[0].contains("CONFIGURATION"), "\(lines[0])")
            }
        }
        let wide = Self.table.lines(now: Self.now)
        #expect(wide[0].contains("QUEUE") && wide[0].contains("DOCUMENTS") && wide[0].contains("REPORTED"))
        #expect(wide.contains { $0.contains("silent 2 h") && $0.contains("1,234") })
    }

    @Test("The JSON output has one object a line")
    func json() throws {
        let lines = try Self.table.json().split(separator: "\n")
        #expect(lines.count == 6)
        let members = try JSONCoder.decode([String: JSONValue].self, from: Array(lines[0].utf8))
        #expect(members["device"] == .string("van-4"))
        #expect(members["configuration"] == .string("refused"))
        #expect(members["queue"] == .integer(1234))
        #expect(members["position_at"] == .null)
    }

    @Test(
        "A withdrawal counts for a vehicle only if its report is newer: an offline one may have received the document")
    func withdrawal() {
        let without = Self.report([])
        let vehicles: [(name: String, vehicle: FleetClient.Vehicle?)] = [
            ("online", .init(status: Self.status(.online, .connected, 5), report: without)),
            (
                "old",
                .init(status: Self.status(.online, .connected, 5), report: Self.report([Self.level("all", Self.old)]))
            ),
            ("offline", .init(status: Self.status(.offline, .stopped, 5), report: without)),
            (
                "offline with it",
                .init(status: Self.status(.offline, .stopped, 5), report: Self.report([Self.level("all", Self.old)]))
            ),
            ("unknown", nil),
        ]
        let progress = RolloutProgress(vehicles, hash: nil, of: .configuration, level: "all")
        #expect(progress.applied == ["online"] && progress.refused == [:])
        #expect(progress.pending.keys.sorted() == ["offline", "offline with it", "old", "unknown"])
        #expect(progress.pending["offline"]?.reason == "offline; its last report has no such document")
        #expect(progress.pending["offline with it"]?.reason.contains("will not receive the removal") == true)
    }

    @Test("The vehicles that have not reported are a table with their states")
    func pendingTable() {
        let vehicles: [(name: String, vehicle: FleetClient.Vehicle?)] = [
            ("van-1", .init(status: Self.status(.online, .connected, 5), report: Self.report([]))),
            ("van-10", .init(status: Self.status(.offline, .stopped, 864_000), report: Self.report([]))),
            ("van-2", nil),
        ]
        let progress = RolloutProgress(vehicles, hash: "h", of: .configuration, level: "all")
        #expect(
            progress.text(now: Self.now) == """
                PENDING  STATE         REASON
                van-1    online 5 s    online, but has not reported
                van-2    never seen    unknown at this broker; check the name
                van-10   stopped 10 d  offline; it receives the change when it connects

                """)
    }

    @Test("A rejected geofence makes a vehicle refused, and its error is shown")
    func geofenceError() {
        let error = ReportedGeofenceError(
            topic: "fleet/acme/group:vans/geofences", identifier: "school", path: "features[0].properties.radius",
            line: 4, value: "1", message: "must be at least 5")
        var report = Self.report([])
        report.geofences = ReportedGeofences(errors: [error])
        let vehicle = FleetClient.Vehicle(status: Self.status(.online, .connected, 5), report: report)
        let table = FleetTable(["van-1": vehicle], desired: [:])
        let line =
            "refused by van-1: group:vans/geofences: school, features[0].properties.radius: must be at least 5 (found 1)"
        #expect(table.rows.map(\.configuration) == [.refused])
        #expect(table.errorLines() == [line])
        #expect(table.errorLines(width: 20) == ["refused by van-1: g…"])
        #expect(table.lines(now: Self.now).contains { $0.contains("geofences: 1 error") })
    }

    @Test("An error that many vehicles report is one line")
    func commonError() {
        let error = ReportedConfigurationError(
            topic: "fleet/acme/all/config", path: "tracking", value: nil, message: "no")
        var vehicles: [String: FleetClient.Vehicle] = [:]
        for number in 1...50 {
            vehicles["van-\(number)"] = FleetClient.Vehicle(status: nil, report: Self.report([], errors: [error]))
        }
        let lines = FleetTable(vehicles, desired: [:]).errorLines()
        #expect(lines == ["refused by van-1, van-2, van-3 and 47 more: all/config: tracking: no"])
    }

    @Test("Errors that do not fit are counted")
    func errorLimit() {
        var report = Self.report([])
        report.geofences.errors = (1...5).map {
            ReportedGeofenceError(
                topic: "fleet/acme/all/geofences", identifier: "\($0)", path: "", line: 0, value: nil, message: "m")
        }
        let table = FleetTable(["van-1": FleetClient.Vehicle(status: nil, report: report)], desired: [:])
        #expect(table.errorLines(limit: 5).count == 5)
        #expect(table.errorLines(limit: 3).dropFirst(2) == ["… and 3 errors more"])
    }

    @Test("The number of waiting records is shown with its age")
    func queueAge() {
        #expect(Self.table.lines(now: Self.now).contains { $0.contains("1,234, 2 h 30 min ago") })
    }

    @Test("A document is replaced if the broker delivers another one after it")
    func replacement() {
        let (mine, other) = (
            DesiredDocument(Array(Self.old.utf8)), DesiredDocument(Array(Self.new.utf8), sender: "ann@desk")
        )
        let published = PublishedDocument(
            place: DocumentPlace(.configuration, level: .all, device: nil), topic: "fleet/acme/all/config",
            document: mine)
        #expect(published.replacement(in: []) == nil)
        #expect(published.replacement(in: [other]) == nil)
        #expect(published.replacement(in: [other, mine]) == nil)
        #expect(published.replacement(in: [mine, mine]) == nil)
        #expect(published.replacement(in: [mine, other]) == other)
        #expect(published.replacement(in: [mine, other, mine]) == nil)
        #expect(other.text.hasPrefix("version 2 (#") && other.text.hasSuffix(") from ann@desk"))
        #expect(DesiredDocument([]).text == "the removal of the document from an unnamed sender")
    }
}
