import OdographHTTP
import OdographHarness
import Testing

@Suite("The client of web services")
struct HTTPClientTests {
    private func address(_ port: UInt16, scheme: String = "http", host: String = "127.0.0.1") throws -> HTTPAddress {
        try #require(HTTPAddress("\(scheme)://\(host):\(port)/hook?key=1"))
    }

    @Test("It posts JSON with its headers, and keeps the connection")
    func post() throws {
        let service = try StubWebService()
        let client = try HTTPClient()
        for _ in 0..<3 {
            let status = try client.post(
                json: Array("{\"ä\":1}".utf8), to: try address(service.port), headers: ["Authorization: Bearer t"])
            #expect(status == 200)
        }
        #expect(service.requests.count == 3)
        for request in service.requests {
            #expect(request.line == "POST /hook?key=1 HTTP/1.1")
            #expect(request.body == "{\"ä\":1}")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["authorization"] == "Bearer t")
            #expect(request.headers["expect"] == nil)
            #expect(request.connection == 1)
        }
        #expect(try client.post(json: [], to: try address(service.port)) == 200)
        #expect(service.requests.last?.body == "")
    }

    @Test("It returns the status of an error or a redirect, and follows none")
    func statuses() throws {
        let other = try StubWebService()
        let service = try StubWebService { [port = other.port] request in
            let location = "Location: http://127.0.0.1:\(port)/"
            return StubWebService.Answer(Int(request.body), headers: [location], body: "error")
        }
        let client = try HTTPClient()
        for status in [201, 301, 307, 400, 404, 500] {
            #expect(try client.post(json: Array("\(status)".utf8), to: try address(service.port)) == status)
        }
        #expect(other.requests.isEmpty)
    }

    @Test("It does not keep or wait for a long answer")
    func longAnswer() throws {
        let service = try StubWebService { _ in
            StubWebService.Answer(200, body: String(repeating: "x", count: 8 << 20))
        }
        let client = try HTTPClient()
        #expect(try client.post(json: [], to: try address(service.port)) == 200)
        #expect(try client.post(json: [], to: try address(service.port)) == 200)
        // The rest of the first answer was not read, so its connection could not be used again.
        #expect(service.requests.map(\.connection) == [1, 2])
    }

    @Test("The status counts although the body never ends, unless it is not the last one", arguments: [200, 503, 100])
    func unfinishedBody(status: Int) throws {
        var limits = HTTPClient.Limits()
        limits.totalSeconds = 0.5
        let service = try StubBroker { client in
            client.send(Array("HTTP/1.1 \(status) X\r\nContent-Length: 100\r\n\r\nten".utf8))
            while client.next() != nil {}
        }
        let client = try HTTPClient(limits: limits)
        let answered = try? client.post(json: Array("{}".utf8), to: try address(service.port))
        #expect(answered == (status < 200 ? nil : status))
    }

    @Test("A service that is away, closes, or does not answer in time is an error with a reason")
    func failures() throws {
        var limits = HTTPClient.Limits()
        limits.totalSeconds = 0.2
        let client = try HTTPClient(limits: limits)
        let closing = try StubWebService { _ in StubWebService.Answer(nil) }
        let silent = try StubBroker { client in _ = client.next() }
        for port in [closing.port, silent.port, try FreePort.next()] {
            #expect {
                try client.post(json: Array("{}".utf8), to: try address(port))
            } throws: { error in
                !((error as? HTTPFailure)?.description.isEmpty ?? true)
            }
        }
    }

    @Test("Over TLS only a service with a valid certificate of a trusted authority gets the body")
    func certificates() async throws {
        let folder = try TemporaryFolder()
        let authority = try await Authority(in: folder)
        let stranger = try await Authority("stranger", in: folder)
        try await authority.issue("right")
        try await authority.issue("name", alternativeName: "DNS:other.example")
        try await authority.issue("old", isExpired: true)
        let client = try HTTPClient()
        for (name, caFile, isRight) in [
            ("right", authority.certificate, true), ("right", stranger.certificate, false),
            ("right", nil, false), ("name", authority.certificate, false), ("old", authority.certificate, false),
        ] {
            let service = try await SecureWebService(authority, certificate: name)
            let target = try address(service.port, scheme: "https")
            let status = try? client.post(json: Array("secret".utf8), to: target, caFile: caFile)
            #expect(status == (isRight ? 200 : nil), "\(name) \(caFile ?? "the system's")")
            #expect(service.bodies == (isRight ? "secret\n" : ""), "\(name) \(caFile ?? "the system's")")
        }
    }

    @Test("A header that would begin another line is refused")
    func headers() throws {
        let service = try StubWebService()
        #expect(throws: HTTPFailure.self) {
            try HTTPClient().post(json: [], to: try address(service.port), headers: ["A: b\r\nC: d"])
        }
        #expect(service.requests.isEmpty)
    }

    @Test(
        "An address has a scheme and a host, and no password",
        arguments: [
            "ftp://h/", "h", "http://", "http:///x", "http://u:p@h/", "http://u@h", "http://h:0", "http://h:99999",
            "http://h:x", "http://h/ x", "http://h/\u{E4}", "http://h#x", "http://[::1", "http://h\\x", "https://@",
            "http://h/\n",
        ])
    func refusedAddress(text: String) { #expect(HTTPAddress(text) == nil) }

    @Test("An address tells whether it is encrypted, and whether it stays on this machine")
    func address() throws {
        for (text, origin, isSecure, isLoopback) in [
            ("https://hooks.example/a?b=c", "https://hooks.example", true, false),
            ("HTTP://LocalHost:80", "http://LocalHost:80", false, true),
            ("http://[::1]:5055/", "http://[::1]:5055", false, true),
            ("http://127.0.0.1", "http://127.0.0.1", false, true),
            ("http://127.0.0.1.example", "http://127.0.0.1.example", false, false),
        ] {
            let address = try #require(HTTPAddress(text), "\(text)")
            #expect(address.origin == origin && address.isSecure == isSecure && address.isLoopback == isLoopback)
        }
    }
}
