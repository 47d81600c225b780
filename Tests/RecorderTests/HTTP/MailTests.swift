import OdographHTTP
import OdographHarness
import Testing

@Suite("Mail")
struct MailTests {
    private static func message(to recipient: String = "a@b.example", subject: String = "s", text: String = "t\n")
        throws
        -> MailMessage
    {
        MailMessage(
            sender: try #require(MailAddress("fleet@example.org")), recipient: try #require(MailAddress(recipient)),
            identifier: "odograph.1", date: "Sat, 21 Nov 2026 09:16:36 +0000", subject: subject, text: text)
    }

    private static let login = MailClient.Login(user: MailTestServer.user, password: MailTestServer.password)

    private static func address(_ port: UInt16, scheme: String = "smtp") throws -> MailServer {
        try #require(MailServer("\(scheme)://127.0.0.1:\(port)"))
    }

    @Test(
        "An address of a mailbox has one part before and one after the @, without spaces and quotes",
        arguments: [
            ("a@b", true), ("first.last+tag@mail.example.org", true), ("a@b@c", false), ("a", false), ("@b", false),
            ("a@", false), ("a@b.", false), (".a@b", false), ("a b@c", false), ("ä@b.example", false),
            ("<a@b>", false), ("a@b\r\nBcc: c@d", false), (String(repeating: "a", count: 65) + "@b", false),
        ])
    func mailboxes(text: String, isRight: Bool) { #expect((MailAddress(text) != nil) == isRight) }

    @Test(
        "The address of a mail server has a port; without one it is that of a submission",
        arguments: [
            ("smtp://mail.example", "smtp://mail.example:587"), ("smtps://Mail.example", "smtps://mail.example:465"),
            ("smtp://[::1]:25", "smtp://[::1]:25"), ("smtp://u:p@h", nil), ("http://h", nil), ("smtp://h/path", nil),
            ("smtp://h:0", nil), ("smtp://", nil), ("smtp://h o", nil),
        ] as [(String, String?)])
    func servers(text: String, expected: String?) { #expect(MailServer(text)?.text == expected) }

    @Test("A server reads the subject and the text as they were, with lines of at most 78 bytes of ASCII")
    func contents() async throws {
        let authority = try await Authority(in: try TemporaryFolder())
        try await authority.issue("mail")
        let server = try await MailTestServer(authority, certificate: "mail")
        let client = try MailClient()
        let contents = [
            ("van-7 of acme left depot", "plain\n"), ("Größe 10 €: Madrid — Cádiz 🚚", "äöü = € 🚚\n"),
            (String(repeating: "long ", count: 40) + "x", String(repeating: "0123456789", count: 50) + "\n"),
            (String(repeating: "é🚚", count: 60), String(repeating: "é ", count: 200) + "end\n"),
            ("=?UTF-8?B?eA==?=", "trailing space \n.\n..two\n\nend=\n"),
        ]
        for (subject, text) in contents {
            let outcome = client.send(
                try Self.message(subject: subject, text: text), to: try Self.address(server.port),
                caFile: authority.certificate, login: Self.login)
            #expect(outcome == .sent)
        }
        let mails = try server.mails()
        #expect(mails.map(\.subject) == contents.map(\.0))
        #expect(mails.map(\.text) == contents.map(\.1))
        for mail in mails {
            #expect(mail.isRight && mail.from == "fleet@example.org/fleet@example.org")
            #expect(mail.to == "a@b.example/a@b.example" && mail.id == "<odograph.1@example.org>")
            #expect(mail.date == "Sat, 21 Nov 2026 09:16:36 +0000" && mail.auto == "auto-generated")
        }
    }

    @Test("A line break in a subject begins no other header")
    func injection() throws {
        let text = String(decoding: try Self.message(subject: "a\r\nBcc: x@y.example").bytes, as: UTF8.self)
        #expect(!text.contains("\nBcc"))
    }

    @Test("A permanent refusal is one, and a temporary refusal, a wrong login and a wrong certificate are failures")
    func refusals() async throws {
        let authority = try await Authority(in: try TemporaryFolder())
        let stranger = try await Authority("stranger", in: authority.folder)
        try await authority.issue("mail")
        try await authority.issue("other", alternativeName: "DNS:other.example")
        let server = try await MailTestServer(authority, certificate: "mail")
        let client = try MailClient()
        let address = try Self.address(server.port)
        func send(to recipient: String, caFile: String? = nil, password: String? = nil) throws -> MailClient.Outcome {
            client.send(
                try Self.message(to: recipient), to: address, caFile: caFile ?? authority.certificate,
                login: MailClient.Login(user: MailTestServer.user, password: password ?? MailTestServer.password))
        }
        guard case .refused(let refusal) = try send(to: "unknown@b.example") else {
            Issue.record("an unknown recipient is no refusal")
            return
        }
        #expect(refusal.contains("550"))
        for (outcome, words) in [
            (try send(to: "full@b.example"), "452"),
            (try send(to: "a@b.example", password: "wrong"), "the server refuses the login"),
            (try send(to: "a@b.example", caFile: stranger.certificate), "certificate"),
        ] {
            guard case .failed(let reason) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(reason.contains(words), "\(reason)")
        }
        let misnamed = try await MailTestServer(authority, certificate: "other")
        let outcome = client.send(
            try Self.message(), to: try Self.address(misnamed.port), caFile: authority.certificate, login: Self.login)
        guard case .failed(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.contains("certificate") || reason.contains("name"), "\(reason)")
        #expect(try server.mails() == [] && misnamed.mails() == [])
        // A client that has failed can send the next one.
        #expect(try send(to: "a@b.example") == .sent)
    }

    @Test("Nothing is sent without encryption unless that is configured, and a server that is away is a failure")
    func encryption() async throws {
        let authority = try await Authority(in: try TemporaryFolder())
        try await authority.issue("mail")
        let plain = try await MailTestServer(authority, certificate: "mail", .none)
        let client = try MailClient()
        let refused = client.send(
            try Self.message(), to: try Self.address(plain.port), caFile: authority.certificate, login: Self.login)
        guard case .failed(let reason) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(reason.contains("STARTTLS") || reason.contains("SSL"), "\(reason)")
        #expect(try plain.mails() == [])
        #expect(client.send(try Self.message(), to: try Self.address(plain.port), isPlain: true) == .sent)
        let secure = try await MailTestServer(authority, certificate: "mail", .fromBeginning)
        let sent = client.send(
            try Self.message(), to: try Self.address(secure.port, scheme: "smtps"), caFile: authority.certificate,
            login: Self.login)
        #expect(sent == .sent)
        #expect(try plain.mails().count == 1 && secure.mails().count == 1)
        guard case .failed = client.send(try Self.message(), to: try Self.address(try FreePort.next())) else {
            Issue.record("a server that is away takes mails")
            return
        }
    }
}
