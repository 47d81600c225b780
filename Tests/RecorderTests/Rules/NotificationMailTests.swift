import OdographCivilTime
import OdographHTTP
import OdographHarness
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("E-mails of rules")
struct NotificationMailTests {
    private static let vehicle = RuleVehicle(key: 7, fleet: "acme", device: "van-7")
    private static let rule = Rule(name: "depot", condition: .driving, target: .command(["/bin/true"]))

    private static func notification(_ text: String = "left Depósito") -> RuleNotification {
        // Half a minute before the clocks in Madrid go back, at 01:00 UTC.
        RuleNotification(
            rule, .event, of: vehicle, at: Timestamp(millisecondsSinceEpoch: 1_792_889_970_000), text: text)
    }

    @Test("A mail says what happened, which vehicle, when in its zone, where, and has a link")
    func text() throws {
        var notification = Self.notification()
        notification.position = RuleNotification.Position(latitude: 40.4201, longitude: -3.7022, accuracy: 4)
        notification.geofence = RuleNotification.Geofence(identifier: "d", action: "EXIT", name: "Depósito")
        let zone = try ZoneDirectory.system.rules(named: "Europe/Madrid")
        let link = try #require(LinkTemplate("https://fleet.example/#{fleet}/{device}"))
        let mail = NotificationMail(notification, in: zone, link: link)
        #expect(mail.subject == "van-7 of acme left Depósito")
        #expect(
            mail.text == """
                van-7 of acme left Depósito

                Vehicle:  van-7 of acme
                Time:     2026-10-25 02:59:30 (Europe/Madrid)
                Place:    Depósito, 40.42010, -3.70220 (± 4 m)
                Rule:     depot (driving)

                https://fleet.example/#acme/van-7

                """)
    }

    @Test("A mail without a position has neither a place nor a link that needs one")
    func noPlace() throws {
        let link = try #require(LinkTemplate("https://map.example/?q={latitude},{longitude}"))
        let mail = NotificationMail(Self.notification("is silent\r\nBcc: x"), in: .utc, link: link)
        #expect(!mail.text.contains("Place") && !mail.text.contains("http"))
        #expect(!mail.subject.contains { $0.isNewline } && mail.text.split(separator: "\n").count == 4)
    }

    @Test(
        "A link is an address with known places",
        arguments: [
            ("https://a.example/{device}", true), ("http://a.example", true), ("ftp://a", false), ("https://", false),
            ("https://a/{name}", false), ("https://a/{", false), ("https://a b", false),
        ])
    func links(text: String, isRight: Bool) { #expect((LinkTemplate(text) != nil) == isRight) }

    @Test("Each recipient gets one mail; who cannot take it now gets it later, and who refuses it holds up nobody")
    func recipients() async throws {
        let authority = try await Authority(in: try TemporaryFolder())
        try await authority.issue("mail")
        let password = try authority.folder.write(MailTestServer.password + "\n", to: "password", mode: 0o600)
        let port = try FreePort.next()
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let keys = """
            mail: { url: "smtp://127.0.0.1:\(port)", from: "fleet@example.org", ca_file: "\(authority.certificate)",
                    username: "\(MailTestServer.user)", password_file: "\(password)" },
            rules: [{ name: "depot", when: "geofence",
                      email: ["first@b.example", "unknown@b.example", "second@b.example"] }]
            """
        let service = try RecorderService(broker: broker.port, keys: keys)
        try await service.start()
        let report = String(decoding: try Payloads.reported([], timeZone: "Europe/Madrid"), as: UTF8.self)
        try await desk.publish(report, to: van + "reported")
        try await desk.publish(try NotificationTests.enter(1), to: van + "geofence")
        // The server is away at first.
        let isWaiting = try await eventually {
            service.log.lines.contains { $0.contains("rule depot: a notification waits") } ? true : nil
        }
        #expect(isWaiting == true, "\(service.log.lines)")
        let server = try await MailTestServer(authority, certificate: "mail", port: port)
        let isDone = try await eventually {
            try service.file.rows("SELECT count(*) FROM notifications") == [["0"]] ? true : nil
        }
        #expect(isDone == true, "\(service.log.lines)")
        try await desk.publish(try NotificationTests.enter(2), to: van + "geofence")
        #expect(try await eventually { try server.mails().count >= 4 ? true : nil } == true, "\(service.log.lines)")
        try await service.stop()
        let mails = try server.mails()
        #expect(
            mails.map { $0.to.split(separator: "@")[0] } == ["first", "second", "first", "second"], "\(mails)")
        #expect(Set(mails.map(\.id)).count == 2 && mails[0].id == mails[1].id && mails[0].date == mails[1].date)
        #expect(mails.allSatisfy { $0.subject == "van-7 of acme entered depot" && $0.isRight })
        #expect(mails.allSatisfy { $0.text.contains(" (Europe/Madrid)\n") }, "\(mails[0].text)")
        let refusals = service.log.lines.filter { $0.contains("a recipient refuses a notification: unknown@b.example") }
        #expect(refusals.count == 2, "\(service.log.lines)")
    }
}
