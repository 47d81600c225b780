import Glibc
import OdographHarness
import Testing

@testable import OdographLink

/// Checks the failure that the client reports when a connection with TLS ends.
@Suite("The diagnosis of a connection with TLS")
struct TLSDiagnosisTests {
    private static let host = "broker.example"

    @Test(
        "What OpenSSL says of the network is no fault of TLS, and only some of its alerts are about the certificate",
        arguments: [
            ("error:80000068:system library::Connection reset by peer", .closedBeforeConnack),
            ("error:8000006F:system library::Connection refused", .connectionRefused(host: host, port: 8883)),
            (
                "error:80000071:system library::No route to host",
                .unreachable(host: host, detail: "No route to host")
            ),
            ("error:0A000126:SSL routines::unexpected eof while reading", .closedBeforeConnack),
            ("error:0A00010B:SSL routines::wrong version number", .tls(detail: "wrong version number")),
            (
                "error:0A000460:SSL routines::tlsv1 alert no application protocol",
                .tls(detail: "tlsv1 alert no application protocol")
            ),
            (
                "error:0A000414:SSL routines::ssl/tls alert certificate revoked",
                .certificateRefused(detail: "ssl/tls alert certificate revoked")
            ),
            (
                "error:0A000418:SSL routines::tlsv1 alert unknown ca",
                .certificateRefused(detail: "tlsv1 alert unknown ca")
            ),
            (nil, .closedBeforeConnack),
        ] as [(String?, LinkFailure)])
    func words(line: String?, failure: LinkFailure) {
        var configuration = LinkConfiguration.test(port: 8883, host: Self.host)
        configuration.endpoint.transport = .tls(TLSSettings())
        // 8 is MOSQ_ERR_TLS.
        let evidence = LinkFailure.Evidence(
            libraryCode: 8, systemError: EPROTO, wasConnected: false,
            log: ["Client van-7 sending CONNECT"] + [line.map { "OpenSSL Error[0]: \($0)" }].compactMap { $0 },
            version: .v5)
        #expect(LinkFailure(evidence, configuration: configuration) == failure)
    }

    /// libmosquitto before 2.1 compares the names itself, and logs it.
    @Test(
        "OpenSSL's verdict about the certificate has its cause, also about the name",
        arguments: [
            (9, .certificateExpired(detail: "text")), (10, .certificateExpired(detail: "text")),
            (18, .unknownAuthority(detail: "text")), (62, .hostNameMismatch(host: host)),
            (64, .hostNameMismatch(host: host)),
        ] as [(Int, LinkFailure)])
    func verdict(code: Int, failure: LinkFailure) {
        var configuration = LinkConfiguration.test(port: 8883, host: Self.host)
        configuration.endpoint.transport = .tls(TLSSettings())
        let evidence = LinkFailure.Evidence(
            libraryCode: 8, systemError: EPROTO, wasConnected: false,
            log: ["OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"],
            certificateVerifyResult: (code, "text"), version: .v5)
        #expect(LinkFailure(evidence, configuration: configuration) == failure)
    }

    @Test(
        "A broker that ends each connection before it answers is always reported in the same words",
        arguments: [false, true])
    func endsEarly(reads: Bool) async throws {
        let authority = try await Authority(in: TemporaryFolder())
        // The first bytes of TLS look like a packet of three bytes. The rest is not read, so the end is a reset.
        let broker = try StubBroker { client in if reads { _ = client.next() } }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.endpoint.transport = .tls(TLSSettings(caFile: authority.certificate))
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        let seen = try await recorder.until("failures") { $0.failures.count >= 30 }
        #expect(Set(seen.failures) == [.closedBeforeConnack])
        await recorder.client.stop()
    }

    @Test("A broker that is killed is reported as the end of the connection, and not as a fault of TLS")
    func killed() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        try await authority.issue("server", alternativeName: "IP:127.0.0.1")
        let folder = authority.folder
        let broker = try await MosquittoBroker(
            configuration: """
                cafile \(authority.certificate)
                certfile \(folder.file("server.crt"))
                keyfile \(folder.file("server.key"))
                """, folder: folder)
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.endpoint.transport = .tls(TLSSettings(caFile: authority.certificate))
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        try await broker.stop(SIGKILL)
        let seen = try await recorder.until("the end") { !$0.failures.isEmpty }
        let right: Set<LinkFailure> = [.closedByBroker, .connectionLost(detail: "Connection reset by peer")]
        #expect(right.isSuperset(of: seen.failures.prefix(1)), "\(seen.failures)")
        await recorder.client.stop()
    }

    @Test("A protocol name that the broker does not know is no refusal of a certificate")
    func unknownProtocol() async throws {
        let folder = try TemporaryFolder()
        let authority = try await Authority(in: folder)
        try await authority.issue("server", alternativeName: "IP:127.0.0.1")
        let port = try FreePort.next()
        let server = try ChildProcess(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-alpn", "mqtt",
                "-cert", folder.file("server.crt"), "-key", folder.file("server.key"),
            ])
        let isUp = try await eventually { FreePort.isServed(port) ? true : nil }
        #expect(isUp == true, "\(server.errors)")
        var settings = TLSSettings(caFile: authority.certificate)
        settings.alpn = "other"
        var configuration = LinkConfiguration.test(port: port)
        configuration.endpoint.transport = .tls(settings)
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        // The server may close the connection before its alert arrives.
        let seen = try await recorder.until("an alert") { $0.failures.contains { $0 != .closedBeforeConnack } }
        let failure = seen.failures.first { $0 != .closedBeforeConnack }
        #expect(failure == .tls(detail: "tlsv1 alert no application protocol"))
        #expect("\(LinkFailure.tls(detail: ""))".contains("tls.alpn"))
        await recorder.client.stop()
    }
}
