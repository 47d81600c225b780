import OdographHarness
import OdographJSON

/// A mail server of the package aiosmtpd, with TLS and a login. The first part of a recipient's address says what the
/// server answers: `unknown` 550, `full` 452, `second` 451 at the first attempt.
final class MailTestServer {
    /// How the server encrypts.
    enum Encryption: String {
        case starttls
        case fromBeginning
        case none
    }

    /// A mail that the server has taken, as Python's parser reads it.
    struct Mail: Decodable, Equatable {
        let to: String
        let from: String
        let subject: String
        let text: String
        let id: String
        let date: String
        let auto: String
        let isRight: Bool
    }

    static let user = "fleet@example.org"
    static let password = "päss wörd"

    let port: UInt16
    private let process: ChildProcess

    private static let program = """
        import email, email.policy, json, ssl, sys, time
        from aiosmtpd.controller import Controller
        from aiosmtpd.smtp import AuthResult
        port, certificate, key, encryption = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
        seen = set()
        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                kind = address.split('@')[0]
                if kind == 'unknown':
                    return '550 5.1.1 no such mailbox'
                if kind == 'full' or kind == 'second' and address not in seen:
                    seen.add(address)
                    return '451 4.3.0 later' if kind == 'second' else '452 4.2.2 mailbox full'
                envelope.rcpt_tos.append(address)
                return '250 OK'
            async def handle_DATA(self, server, session, envelope):
                mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
                lines = envelope.content.split(b'\\r\\n')
                right = all(len(line) <= 78 and all(byte < 127 for byte in line) for line in lines) and not mail.defects
                print(json.dumps({
                    'to': ','.join(envelope.rcpt_tos) + '/' + mail['To'], 'from': envelope.mail_from + '/' + mail['From'],
                    'subject': mail['Subject'], 'text': mail.get_content().replace('\\r\\n', '\\n'), 'id': mail['Message-ID'],
                    'date': mail['Date'], 'auto': mail['Auto-Submitted'], 'isRight': right}), flush=True)
                return '250 OK'
        def authenticate(server, session, envelope, mechanism, data):
            good = (data.login.decode(), data.password.decode()) == (sys.argv[5], sys.argv[6])
            return AuthResult(success=good, handled=good)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        settings = dict(hostname='127.0.0.1', port=port, authenticator=authenticate)
        if encryption == 'starttls':
            settings.update(require_starttls=True, tls_context=context, auth_required=True)
        if encryption == 'fromBeginning':
            settings.update(ssl_context=context, auth_required=True, auth_require_tls=False)
        Controller(Handler(), **settings).start()
        while True:
            time.sleep(1000)
        """

    /// - Parameter name: The base name of certificate and key.
    init(
        _ authority: Authority, certificate name: String, _ encryption: Encryption = .starttls, port: UInt16? = nil
    ) async throws {
        let port = try port ?? FreePort.next()
        self.port = port
        let folder = authority.folder
        let child = try ChildProcess(
            "/usr/bin/python3",
            [
                "-c", Self.program, "\(port)", folder.file("\(name).crt"), folder.file("\(name).key"),
                encryption.rawValue, Self.user, Self.password,
            ])
        process = child
        let isUp = try await eventually { () -> Bool? in
            if child.poll() != nil { throw HarnessError("no mail server: \(child.errors)") }
            return FreePort.isServed(port) ? true : nil
        }
        guard isUp != nil else { throw HarnessError("no mail server: \(child.errors)") }
    }

    /// The mails that the server has taken.
    func mails() throws -> [Mail] {
        try process.output.split(separator: "\n").map { try JSONCoder.decode(Mail.self, from: Array($0.utf8)) }
    }
}
