import Glibc
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

    @Test("A program at the port that is not gpsd is named so, whether it is silent, speaks or ends the connection")
    func notGPSD() async throws {
        let answers: [String?] = ["", "SSH-2.0-OpenSSH_9.2\r\n", nil]
        for answer in answers {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            listener.serve { connection in
                var byte: UInt8 = 0
                guard let answer else {
                    // A reset, after the request: earlier it could be one of the connection attempt.
                    _ = read(connection, &byte, 1)
                    var option = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                    close(connection)
                    return
                }
                _ = Array(answer.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
                while read(connection, &byte, 1) > 0 {}
                close(connection)
            }
            let folder = try TemporaryFolder()
            let path = try folder.write(
                """
                { fleet: "acme", device: "van-7", store: { path: "agent.db" },
                  source: { gpsd: { port: \(listener.port) } }, broker: { url: "mqtt://127.0.0.1:1" } }
                """, to: "agent.json5")
            let ran = try await Odograph.run("doctor", "--wait", "2", "-c", path)
            let found = ran.lines.first { $0.contains(" gpsd ") } ?? ""
            #expect(found.hasPrefix("fail  gpsd ") && found.contains("does not respond as gpsd does"), "\(ran.output)")
            #expect(found.contains("correct source.gpsd"), "\(ran.output)")
        }
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
