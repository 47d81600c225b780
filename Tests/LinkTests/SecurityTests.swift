import OdographHarness
import OdographLink
import Testing

@Suite("Credentials and certificates")
struct SecurityTests {
    private func settings(_ folder: TemporaryFolder, client: String? = nil, authority: String = "authority")
        -> TLSSettings
    {
        TLSSettings(
            caFile: folder.file("\(authority).crt"), certificateFile: client.map { folder.file("\($0).crt") },
            keyFile: client.map { folder.file("\($0).key") })
    }

    private func configuration(_ broker: MosquittoBroker, _ tls: TLSSettings) -> LinkConfiguration {
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.endpoint.transport = .tls(tls)
        return configuration
    }

    /// Starts a broker with a certificate of an authority. It can require a client certificate.
    private func tlsBroker(
        _ authority: Authority, isExpired: Bool = false, name: String = "IP:127.0.0.1", more: String = ""
    ) async throws -> MosquittoBroker {
        let folder = authority.folder
        try await authority.issue("server", alternativeName: name, isExpired: isExpired)
        return try await MosquittoBroker(
            configuration: """
                cafile \(authority.certificate)
                certfile \(folder.file("server.crt"))
                keyfile \(folder.file("server.key"))
                \(more)
                """, folder: folder)
    }

    private func firstFailure(_ configuration: LinkConfiguration) async throws -> LinkFailure {
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        let seen = try await recorder.until("an end") { !$0.failures.isEmpty || !$0.connected.isEmpty }
        await recorder.client.stop()
        guard seen.connected.isEmpty, let failure = seen.failures.first else { throw HarnessError("it connected") }
        return failure
    }

    @Test("The client offers the configured protocol name (ALPN), and none without one", arguments: ["mqtt", nil])
    func alpn(name: String?) async throws {
        let folder = try TemporaryFolder()
        let authority = try await Authority(in: folder)
        try await authority.issue("server", alternativeName: "IP:127.0.0.1")
        let port = try FreePort.next()
        // With -www the server does not read its standard input, and answers the CONNECT with a page.
        let server = try ChildProcess(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-tlsextdebug", "-alpn", "mqtt",
                "-cert", folder.file("server.crt"), "-key", folder.file("server.key"),
            ])
        let isUp = try await eventually { FreePort.isServed(port) ? true : nil }
        #expect(isUp == true, "\(server.errors)")
        var tls = settings(folder)
        tls.alpn = name
        var configuration = LinkConfiguration.test(port: port)
        configuration.endpoint.transport = .tls(tls)
        _ = try await firstFailure(configuration)
        let offered = try await eventually { () -> Bool? in
            server.output.contains("server name") || server.output.contains("signature algorithms") ? true : nil
        }
        #expect(offered == true, "\(server.output) \(server.errors)")
        // The extension's bytes, in hexadecimal and as text: the length of the list and of the name, and the name.
        #expect(server.output.contains("application layer protocol negotiation") == (name != nil))
        #expect(server.output.contains("00 05 04 6d 71 74 74") == (name != nil), "\(server.output)")
    }

    @Test("The right password is accepted, and a wrong one is reported", arguments: [MQTTVersion.v5, .v311])
    func password(version: MQTTVersion) async throws {
        let folder = try TemporaryFolder()
        let made = try await ChildProcess.run(
            "mosquitto_passwd", ["-b", "-c", folder.file("passwords"), "van", "right"])
        #expect(made.ending == .exited(0))
        let broker = try await MosquittoBroker(
            configuration: "allow_anonymous false\npassword_file \(folder.file("passwords"))", folder: folder)
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = version == .v5 ? .v5 : .v311
        configuration.username = "van"
        configuration.password = Secret("right")
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        await recorder.client.stop()
        configuration.password = Secret("wrong")
        #expect(try await firstFailure(configuration) == .notAuthorized)
    }

    @Test("A message that the broker's rules forbid is refused, and the client continues")
    func forbiddenMessage() async throws {
        let folder = try TemporaryFolder()
        let rules = try folder.write("topic readwrite fleet/#\n", to: "acl")
        let broker = try await MosquittoBroker(configuration: "acl_file \(rules)", folder: folder)
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish([.text("other/a", "m", token: 1), .text("fleet/a", "m", token: 2)])
        let published = try await recorder.until("both ends") { $0.acknowledged == [2] && !$0.refused.isEmpty }
        #expect(published.refused == [1: 0x87])
        await recorder.client.stop()
    }

    @Test("TLS with the right authority and a client certificate transfers messages")
    func mutual() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        try await authority.issue("van-7")
        let broker = try await tlsBroker(authority, more: "require_certificate true")
        let recorder = Recorder(
            MQTTClient(
                configuration: configuration(broker, settings(authority.folder, client: "van-7")), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...2000).map { OutgoingMessage.text("a", "m", token: $0) })
        let seen = try await recorder.until("all") { $0.acknowledged.count == 2000 }
        #expect(seen.acknowledged == Array(1...2000))
        await recorder.client.stop()
    }

    @Test(
        "With TLS, a port at which nothing listens is reported as such, by number and by name",
        arguments: ["127.0.0.1", "localhost", "::1"])
    func nothingListens(host: String) async throws {
        let authority = try await Authority(in: TemporaryFolder())
        for _ in 0..<5 {
            var configuration = LinkConfiguration.test(port: try FreePort.next())
            configuration.endpoint.host = host
            configuration.endpoint.transport = .tls(settings(authority.folder))
            let failure = try await firstFailure(configuration)
            guard case .connectionRefused(_, configuration.endpoint.port) = failure else {
                throw HarnessError("\(failure)")
            }
        }
    }

    @Test("A broker's certificate with an unknown authority, an expired date or a wrong name is reported")
    func brokerCertificate() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        _ = try await Authority("stranger", in: authority.folder)
        let good = try await tlsBroker(authority)
        let unknown = try await firstFailure(configuration(good, settings(authority.folder, authority: "stranger")))
        guard case .unknownAuthority = unknown else { throw HarnessError("\(unknown)") }
        let otherName = try await Authority(in: TemporaryFolder())
        let named = try await tlsBroker(otherName, name: "DNS:broker.example")
        #expect(
            try await firstFailure(configuration(named, settings(otherName.folder)))
                == .hostNameMismatch(host: "127.0.0.1"))
        let late = try await Authority(in: TemporaryFolder())
        let expired = try await tlsBroker(late, isExpired: true)
        let failure = try await firstFailure(configuration(expired, settings(late.folder)))
        guard case .certificateExpired = failure else { throw HarnessError("\(failure)") }
    }

    @Test("A missing, foreign, expired or revoked client certificate is refused with its reason")
    func clientCertificate() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        let stranger = try await Authority("stranger", in: authority.folder)
        try await stranger.issue("alien")
        try await authority.issue("late", isExpired: true)
        try await authority.issue("banned")
        try await authority.revoke("banned")
        let broker = try await tlsBroker(
            authority, more: "require_certificate true\ncrlfile \(authority.folder.file("authority.crl"))")
        for (client, hint) in [(nil, "required"), ("alien", "unknown ca"), ("late", "expired"), ("banned", "revoked")] {
            let tls = settings(authority.folder, client: client)
            let recorder = Recorder(MQTTClient(configuration: configuration(broker, tls), logger: silent))
            // The broker may close the connection before its alert arrives. The next attempt can receive the alert.
            try await recorder.until("an alert with \"\(hint)\"") { seen in
                seen.failures.contains { failure in
                    if case .certificateRefused(let detail) = failure { detail.contains(hint) } else { false }
                }
            }
            // Once the reason is known, an attempt without it does not hide it.
            let known = recorder.now.failures.count
            let later = try await recorder.until("more attempts") { $0.failures.count >= known + 5 }
            #expect(later.connected.isEmpty)
            #expect(
                later.failures[known...].allSatisfy { failure in
                    if case .certificateRefused(let detail) = failure { detail.contains(hint) } else { false }
                }, "\(later.failures)")
            await recorder.client.stop()
        }
    }

    @Test("Missing, invalid and mismatched files are named")
    func files() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        let folder = authority.folder
        try await authority.issue("one")
        try await authority.issue("two")
        try folder.write("not a key\n", to: "junk.key")
        let broker = try await tlsBroker(authority)
        func failure(_ change: (inout TLSSettings) -> Void) async throws -> LinkFailure {
            var tls = settings(folder, client: "one")
            change(&tls)
            return try await firstFailure(configuration(broker, tls))
        }
        let missing = folder.file("missing.pem")
        #expect(
            try await failure { $0.caFile = missing }
                == .fileUnusable(role: .authorities, path: missing, detail: "No such file or directory"))
        #expect(
            try await failure { $0.keyFile = folder.file("two.key") }
                == .keyMismatch(certificate: folder.file("one.crt"), key: folder.file("two.key")))
        guard
            case .fileUnusable(.key, folder.file("junk.key"), _) = try await failure({
                $0.keyFile = folder.file("junk.key")
            })
        else { throw HarnessError("junk was taken for a key") }
        guard case .invalidSetting = try await failure({ $0.keyFile = nil }) else { throw HarnessError("half a pair") }
    }

    @Test("TLS to a plain listener and plain text to a TLS listener are reported")
    func mixedUp() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        let plain = try await MosquittoBroker()
        var configuration = configuration(plain, settings(authority.folder))
        configuration.connectTimeoutSeconds = 3
        let toPlain = try await firstFailure(configuration)
        #expect(toPlain == .closedBeforeConnack || "\(toPlain)".contains("TLS"))
        let secure = try await tlsBroker(authority)
        let toSecure = try await firstFailure(.test(port: secure.port))
        #expect("\(toSecure)".contains("port"))
    }
}
