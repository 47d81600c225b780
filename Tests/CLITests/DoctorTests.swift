import OdographHarness
import Testing

@Suite("odograph doctor")
struct DoctorTests {
    @Test("A broker that accepts the login is ok")
    func well() async throws {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker()
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", store: { path: "agent.db" }, source: { simulator: {} },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)" } }
            """, to: "agent.json5")
        let ran = try await Odograph.run("doctor", "-c", path)
        #expect(ran.code == 0, "\(ran.output)")
        #expect(ran.lines.contains { $0.hasPrefix("ok    broker ") && $0.contains("MQTT 5") }, "\(ran.output)")
        #expect(ran.lines.contains { $0.hasPrefix("ok    disk ") })
        #expect(ran.errors.isEmpty)
        let json = try await Odograph.run("doctor", "--json", "-c", path)
        #expect(json.lines.count == ran.lines.count)
        #expect(json.lines.allSatisfy { $0.hasPrefix("{") && $0.contains("\"level\":\"") }, "\(json.output)")
    }

    @Test("Each failure comes with advice")
    func ill() async throws {
        let folder = try TemporaryFolder()
        let password = try folder.write("hunter2", to: "password", mode: 0o644)
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", store: { path: "agent.db" },
              source: { gpsd: { port: \(try FreePort.next()) } },
              broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())", username: "u", password_file: "password" } }
            """, to: "agent.json5")
        let ran = try await Odograph.run("doctor", "--wait", "2", "-c", path)
        #expect(ran.code == 1)
        #expect(ran.output.contains("warn  credentials    password \(password)"))
        #expect(ran.output.contains("chmod 600"))
        #expect(ran.lines.contains { $0.hasPrefix("fail  broker ") && $0.contains("nothing listens") })
        #expect(ran.lines.contains { $0.hasPrefix("fail  gpsd ") && $0.contains("start it") })
        #expect(!ran.output.contains("hunter2"))
        #expect(!ran.output.contains("\u{1B}"))
    }

    @Test("Wrong credentials are distinguished from a missing broker")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "users")
        let broker = try await MosquittoBroker(
            configuration: "allow_anonymous false\npassword_file \(folder.file("users"))")
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", store: { path: "agent.db" }, source: { simulator: {} },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", username: "u" } }
            """, to: "agent.json5")
        let ran = try await Odograph.run(
            "doctor", "-c", path, environment: ["ODOGRAPH_BROKER_PASSWORD": "hunter2"])
        #expect(ran.code == 1)
        #expect(ran.lines.contains { $0.hasPrefix("fail  broker ") && $0.contains("check") }, "\(ran.output)")
        #expect(!ran.output.contains("hunter2"))
    }

    @Test("A wrong configuration is the first finding")
    func configuration() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{ fleet: \"acme\" }", to: "agent.json5")
        let ran = try await Odograph.run("doctor", "-c", path)
        #expect(ran.code == 1)
        #expect(ran.lines.first?.hasPrefix("fail  configuration  \(path): device: missing") == true)
    }
}
