import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

/// One vehicle that triggers as many rules as it can.
@Suite("Notifications in a flood")
struct FloodTests {
    private static func enters(_ device: String, _ numbers: ClosedRange<Int64>) throws -> [Archive.Message] {
        try numbers.map { ("fleet/acme/\(device)/geofence", Array(try NotificationTests.enter($0).utf8)) }
    }

    private static func entries(_ messages: [Archive.Message]) -> [BatchEntry] {
        Archive.entries(messages).map { entry in
            var entry = entry
            entry.received = .now
            return entry
        }
    }

    private static let waiting = """
        SELECT device, count(*) FROM notifications JOIN vehicles ON vehicles.id = vehicle GROUP BY device
        ORDER BY device
        """

    @Test(
        "It drops none of another vehicle, they take turns, and the operator sees which one it is",
        arguments: DatabaseKind.allCases)
    func turns(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.begin([NotificationTests.depot(.command(["/bin/true"]))])
        // The alarms of the others come before the flood, and within it.
        try archive.database.write(Self.entries(try Self.enters("van-1", 1...2)))
        let flood = try Self.enters("van-7", 1...2500)
        try archive.database.write(Self.entries(flood + (try Self.enters("van-9", 1...3))))
        try archive.database.write(Self.entries(try Self.enters("van-7", 2501...3000)))
        #expect(
            try archive.rows(Self.waiting) == [
                ["van-1", "2"], ["van-7", "100"], ["van-9", "3"],
            ])

        var (order, last) = ([String](), Int64(0))
        for _ in 0..<9 {
            let next = try #require(try archive.database.dueNotifications(after: ["depot": last]).first)
            order.append(try JSONCoder.decode(RuleNotification.self, from: Array(next.payload.utf8)).device)
            try archive.database.note(.delivered, of: next, delaySeconds: 0)
            last = next.vehicle
        }
        #expect(Array(order.prefix(6)) == ["van-1", "van-7", "van-9", "van-1", "van-7", "van-9"])
        #expect(order.count { $0 == "van-9" } == 3 && order.count { $0 == "van-7" } == 4)

        #expect(archive.database.takeNewFloods().map(\.device) == ["van-7"])
        #expect(archive.database.takeNewFloods() == [])
        let status = try RecorderStatus(of: archive.location)
        #expect(
            status.floods.map { [$0.rule, $0.fleet, $0.device, "\($0.dropped)"] } == [
                ["depot", "acme", "van-7", "2900"]
            ])
        #expect(status.text.contains("flood        depot: 2900 of van-7 of acme dropped, last 20"))
        #expect(status.notifications.first?.dropped == 2900)
        let metrics = RecorderMetrics(counters: RecorderCounters().current(), status: status, date: .now).text
        #expect(
            metrics.contains(
                "vehicle_dropped_notifications_total{rule=\"depot\",fleet=\"acme\",device=\"van-7\"} 2900"))
    }

    @Test("If too many of a rule wait, the vehicle with most of them loses its oldest ones")
    func fullRule() throws {
        let folder = try TemporaryFolder()
        let records = try RecordDatabase(path: folder.file("recorder.db"))
        let database = try ArchiveDatabase(records, waitingNotifications: 120)
        try database.begin([NotificationTests.depot(.command(["/bin/true"]))])
        for device in ["van-1", "van-2"] { try database.write(Self.entries(try Self.enters(device, 1...15))) }
        try database.write(Self.entries(try Self.enters("van-7", 1...100)))
        let rows = try DatabaseFile(folder.file("recorder.db")).rows(Self.waiting)
        #expect(rows == [["van-1", "15"], ["van-2", "15"], ["van-7", "90"]])
        let due = try #require(try database.dueNotifications(after: ["depot": 2]).first)
        #expect(try JSONCoder.decode(RuleNotification.self, from: Array(due.payload.utf8)).seq == 11)
    }

    @Test("While one vehicle floods, and the target cannot take what it triggers, the others are delivered")
    func poison() async throws {
        let web = try StubWebService { StubWebService.Answer($0.body.contains("van-7") ? 500 : 200) }
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let target = try NotificationTests.webhook(web.port)
        let service = try RecorderService(broker: broker.port) { $0.rules = [NotificationTests.depot(target)] }
        try await service.start()
        let flood = try (1...1000).map { try NotificationTests.enter($0) }
        try await desk.flood(flood, to: van + "geofence/backlog", isRetained: false)
        for seq in 1...5 as ClosedRange<Int64> {
            try await desk.publish(
                try NotificationTests.enter(seq), to: "fleet/acme/van-8/geofence/backlog", isRetained: false)
        }
        func delivered() -> Int { web.requests.count { $0.body.contains("van-8") } }
        #expect(try await eventually { delivered() == 5 ? true : nil } == true, "\(service.log.lines)")
        #expect(service.log.lines.count { $0.contains("notifications of van-7 of acme are dropped") } == 1)
        try await service.stop()
    }

    @Test("Thousands of epochs with gaps make few notifications, and those of another vehicle are among them")
    func gaps() throws {
        let archive = try Archive()
        let rule = Rule(name: "gap", condition: .gap(seconds: 0), target: .command(["/bin/true"]), notifiesEnd: true)
        try archive.database.begin([rule])
        func records(_ device: String, _ epochs: ClosedRange<Int64>, _ seqs: [Int64]) throws -> [Archive.Message] {
            try epochs.flatMap { epoch in
                try seqs.map { ("fleet/acme/\(device)/location", try Payloads.location(epoch: epoch, $0)) }
            }
        }
        try archive.store(try records("van-7", 1...3000, [2, 4]))
        try archive.store(try records("van-8", 5...5, [1, 3, 5]))
        func tick() throws {
            try archive.database.tick(connectedSince: .now, gaps: try OpenGap.read(from: archive.location))
        }
        for _ in 0..<2 { try tick() }
        #expect(try archive.rows(Self.waiting) == [["van-7", "64"], ["van-8", "1"]])
        #expect(
            try archive.rows("SELECT count(*), min(CAST(subject AS INTEGER)) FROM rule_episodes WHERE vehicle = 1") == [
                ["64", "2937"]
            ])
        // Newer epochs push the older ones out, and nothing says that these have filled.
        try archive.store(try records("van-7", 3001...3010, [2, 4]))
        for _ in 0..<2 { try tick() }
        #expect(
            try archive.rows("SELECT count(*), min(CAST(subject AS INTEGER)) FROM rule_episodes WHERE vehicle = 1") == [
                ["64", "2947"]
            ])
        #expect(
            try archive.rows("SELECT count(*) FROM notifications WHERE payload LIKE '%\"phase\":\"end\"%'") == [["0"]])
    }

    @Test("A text of a message is shortened in the notification")
    func longTexts() throws {
        let long = String(repeating: "ü\u{301}", count: 200_000)
        let rule = NotificationTests.depot(.command(["/bin/true"]))
        let vehicle = RuleVehicle(key: 1, fleet: "acme", device: "van-7")
        var notification = RuleNotification(rule, .event, of: vehicle, at: .now, text: long)
        notification.geofence = RuleNotification.Geofence(identifier: long, action: long, name: long)
        notification.beacon = RuleNotification.Beacon(identifier: long, action: long)
        notification.refused = [RuleNotification.RefusedValue(topic: long, path: long)]
        #expect(try JSONCoder.bytes(of: notification.bounded).count < 9000)
        #expect(notification.bounded.text.utf8.count <= RuleNotification.maximumTextBytes)
        #expect(notification.bounded.text.hasPrefix("van-7 of acme ") && notification.bounded.text.hasSuffix("…"))
    }

    @Test("Rejected messages of one vehicle do not remove those of another one")
    func rejected() throws {
        let archive = try Archive()
        try archive.store([("fleet/acme/van-8/location", Array("{}".utf8))])
        for batch in 0..<12 {
            try archive.store((0..<1000).map { (van + "location", Array("{\"a\":\(batch * 1000 + $0)}".utf8)) })
        }
        try archive.store([("fleet/acme/van-9/location", Array("{}".utf8)), ("elsewhere", [1])])
        let counts = try archive.rows(
            "SELECT topic, count(*), max(payload) FROM rejected GROUP BY topic ORDER BY topic")
        #expect(
            counts.map { $0[0] } == [
                "elsewhere", "fleet/acme/van-7/location", "fleet/acme/van-8/location", "fleet/acme/van-9/location",
            ])
        #expect(counts.map { Int($0[1]) ?? 0 } == [1, 1000, 1, 1])
    }
}
