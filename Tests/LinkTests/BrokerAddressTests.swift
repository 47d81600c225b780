import Glibc
import OdographHarness
import OdographThreads
import Testing

@testable import OdographLink

@Suite("The addresses of a broker")
struct BrokerAddressTests {
    private static func address(_ text: String) -> BrokerAddress {
        BrokerAddress(text: text, isIPv6: text.contains(":"))
    }

    @Test(
        "Both families are tried in turn, beginning with the resolver's choice; the address that worked comes first",
        arguments: [
            (["::1", "::2", "1", "2", "3"], nil, ["::1", "1", "::2", "2", "3"]),
            (["1", "::1", "::2"], nil, ["1", "::1", "::2"]),
            (["1", "2", "1"], nil, ["1", "2"]),
            (["::1", "1", "2"], "2", ["2", "::1", "1"]),
            (["1", "2"], "9", ["1", "2"]),
            ([], nil, []),
        ] as [([String], String?, [String])])
    func order(found: [String], last: String?, expected: [String]) {
        var order = AddressOrder()
        if let last { order.noteAccepted(at: Self.address(last)) }
        #expect(order.ordered(found.map(Self.address)).map(\.text) == expected)
    }

    @Test(
        "An address at which a broker did not answer is the last one",
        arguments: [
            (["1", "2", "3"], "1", ["2", "3", "1"]), (["1", "::1"], "1", ["::1", "1"]), (["1", "2"], "9", ["1", "2"]),
            (["1"], "1", ["1"]),
        ])
    func orderAfterFailure(found: [String], failed: String, expected: [String]) {
        var (unanswered, refused) = (AddressOrder(), AddressOrder())
        unanswered.noteAccepted(at: Self.address(failed))
        unanswered.noteUnanswered()
        refused.noteRefused(at: Self.address(failed))
        for order in [unanswered, refused] {
            #expect(order.ordered(found.map(Self.address)).map(\.text) == expected)
        }
    }

    @Test("An address has a route, or the machine has none to it")
    func routes() {
        // 255.255.255.255 is for broadcasts, which need a permission.
        #expect(Self.address("127.0.0.1").hasRoute && !Self.address("255.255.255.255").hasRoute)
    }

    @Test("A slow last address has the whole time, also if one without a route follows")
    func slowBeforeUnreachable() async throws {
        let port = try FreePort.next()
        let silent = try SilentListener("127.0.0.8", port: port)
        let recorder = Self.client(port, connectSeconds: 6) { _ in
            ["127.0.0.8", "255.255.255.255"].map(Self.address)
        }
        let seen = try await recorder.until("a failure") { !$0.failures.isEmpty }
        #expect(seen.failures.first == .timedOut(host: "broker.test (127.0.0.8)", port: port, seconds: 6))
        await recorder.client.stop()
        silent.close()
    }

    @Test("An unknown host is an error that names it, and a number is its own address")
    func resolved() throws {
        let error = #expect(throws: LinkFailure.self) { try BrokerAddress.resolved("no-host.invalid") }
        #expect(error.map { "\($0)" }?.contains("no-host.invalid") == true)
        #expect(try BrokerAddress.resolved("127.0.0.2") == [Self.address("127.0.0.2")])
        #expect(try BrokerAddress.resolved("::1") == [Self.address("::1")])
    }

    private static func client(
        _ port: UInt16, transport: LinkConfiguration.Transport = .plain, connectSeconds: Double = 10,
        _ resolve: @escaping BrokerResolver
    ) -> Recorder {
        var configuration = LinkConfiguration.test(port: port)
        configuration.connectTimeoutSeconds = connectSeconds
        configuration.endpoint.host = "broker.test"
        configuration.endpoint.transport = transport
        return Recorder(
            MQTTClient(configuration: configuration, logger: silent, mailbox: Mailbox(), resolve: resolve))
    }

    @Test(
        "A broker is found at any of its addresses, whatever the addresses before it do",
        arguments: [
            ["127.0.0.9", "127.0.0.1"], ["127.0.0.8", "127.0.0.1"], ["::1", "127.0.0.1"],
            ["127.0.0.9", "127.0.0.8", "127.0.0.1"], ["2001:db8::1", "127.0.0.9", "127.0.0.1"],
        ])
    func found(addresses: [String]) async throws {
        let broker = try await MosquittoBroker()
        let silent = try SilentListener("127.0.0.8", port: broker.port)
        let recorder = Self.client(broker.port) { _ in addresses.map(Self.address) }
        let seen = try await recorder.until("a connection") { !$0.connected.isEmpty }
        #expect(seen.failures == [] && seen.attempts == [1])
        await recorder.client.stop()
        silent.close()
    }

    @Test("The certificate must be for the name, not for the address, also at the second address")
    func certificate() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        for (name, isRight) in [("DNS:broker.test", true), ("IP:127.0.0.1", false)] {
            try await authority.issue("server", alternativeName: name)
            let folder = authority.folder
            let broker = try await MosquittoBroker(
                configuration: """
                    cafile \(authority.certificate)
                    certfile \(folder.file("server.crt"))
                    keyfile \(folder.file("server.key"))
                    """, folder: folder)
            let tls = TLSSettings(caFile: authority.certificate, certificateFile: nil, keyFile: nil)
            let recorder = Self.client(broker.port, transport: .tls(tls)) { _ in
                ["127.0.0.9", "127.0.0.1"].map(Self.address)
            }
            let seen = try await recorder.until("an end") { !$0.connected.isEmpty || !$0.failures.isEmpty }
            #expect(seen.connected.isEmpty != isRight)
            // A further attempt may have ended before the look.
            #expect(seen.failures.prefix(1) == (isRight ? [] : [.hostNameMismatch(host: "broker.test")]))
            await recorder.client.stop()
        }
    }

    @Test("If no address answers, the message has all of them; the next attempt resolves the name anew")
    func anew() async throws {
        let broker = try await MosquittoBroker()
        let calls = Lock(0)
        let recorder = Self.client(broker.port) { _ in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return (call == 1 ? ["127.0.0.9", "127.0.0.7", "2001:db8::1"] : ["127.0.0.1"]).map(Self.address)
        }
        let seen = try await recorder.until("a connection") { !$0.connected.isEmpty }
        #expect(
            seen.failures == [.connectionRefused(host: "broker.test (127.0.0.7, 127.0.0.9)", port: broker.port)])
        await recorder.client.stop()
    }

    @Test("A broker that refuses this client is not asked again at its other address")
    func refusal() async throws {
        let broker = try await MosquittoBroker(configuration: "allow_anonymous false")
        let recorder = Self.client(broker.port) { _ in ["127.0.0.1", "127.0.0.9"].map(Self.address) }
        let seen = try await recorder.until("a failure") { !$0.failures.isEmpty }
        #expect(seen.failures.first == .notAuthorized, "\(seen.failures)")
        await recorder.client.stop()
    }
}

/// A listener whose queue is full: the system drops each further connection silently.
private final class SilentListener {
    private var descriptors: [Int32] = []

    init(_ address: String, port: UInt16) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &place.sin_addr)
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        for index in 0..<5 {
            let descriptor = socket(AF_INET, flags, 0)
            descriptors.append(descriptor)
            let code = withUnsafePointer(to: &place) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                    return index == 0 ? bind(descriptor, generic, length) : connect(descriptor, generic, length)
                }
            }
            guard index > 0 || (code == 0 && listen(descriptor, 0) == 0) else {
                throw HarnessError("no listener at \(address)")
            }
        }
    }

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
        descriptors = []
    }

    deinit { close() }
}
