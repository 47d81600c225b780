import Glibc
import OdographHarness
import Testing
import OdographWire

@Suite("The operator's fleet commands")
struct FleetTests {
    private func fleet(
        _ broker: MosquittoBroker, _ arguments: [String]
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let address = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"]
        return try await ChildProcess.run(AgentProcess.executable, ["fleet"] + arguments + address, seconds: 60)
    }

    @Test("A valid document is checked, published and confirmed, and an invalid one is not published")
    func document() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.driving(broker, folder: folder)
        _ = try await eventually { try subscriber.reports().first }
        let good = try folder.write("{ version: '7', tracking: { heartbeat_interval: 60 } }", to: "good.json5")
        for target in [["--device", "van-7"], ["--all"], ["--group", "vans"]] {
            let set = try await fleet(broker, ["config", "set", good] + target)
            #expect(set.ending == .exited(0), "\(set.errors) \(agent.child.errors)")
            #expect(set.output.contains("van-7") || target[0] == "--group")
        }
        let show = try await fleet(broker, ["config", "show", "--device", "van-7"])
        #expect(show.output.contains("van-7: applied, version 7"), "\(show.output)")
        let all = try await fleet(broker, ["config", "show", "--all"])
        #expect(all.ending == .exited(0) && all.output.hasPrefix("van-7:\n"), "\(all)")
        #expect(all.output.contains("van-7: applied, version 7") && all.output.contains("heartbeat_interval"))
        let json = try await fleet(broker, ["config", "show", "--group", "vans", "--json"])
        #expect(json.output.split(separator: "\n").count == 1 && json.output.contains(#""device":"van-7""#), "\(json)")
        let nobody = try await fleet(broker, ["config", "show", "--group", "trucks"])
        #expect(nobody.ending == .exited(69) && nobody.errors.contains("trucks"), "\(nobody)")
        let bad = try folder.write("{ tracking: { hartbeat_interval: 60 } }", to: "bad.json5")
        let refused = try await fleet(broker, ["config", "set", bad, "--device", "van-7"])
        #expect(refused.ending == .exited(78))
        #expect(refused.errors.contains("did you mean \"heartbeat_interval\"?"), "\(refused.errors)")
        let status = try await fleet(broker, ["status"])
        #expect(status.output.contains("van-7    online "), "\(status.output)")
        #expect(status.output.contains("all 7; group:vans 7; van-7 7"), "\(status.output)")
        #expect(status.output.contains("1 vehicle: 1 online; 1 in force\n"))
        let odometer = try await fleet(broker, ["command", "set_odometer", "{ value: 9 }", "--device", "van-7"])
        #expect(odometer.ending == .exited(0), "\(odometer.errors)")
        let unknown = try await fleet(broker, ["command", "flsh", "--device", "van-7"])
        #expect(unknown.ending == .exited(1))
        #expect(unknown.output.contains("did you mean"))
        let absent = try await fleet(broker, ["command", "flush", "--device", "van-8", "--timeout", "1"])
        #expect(absent.ending == .exited(69))
    }

    @Test("All commands work over TLS with a certificate, a user and a password file")
    func secure() async throws {
        let authority = try await Authority(in: TemporaryFolder())
        let folder = authority.folder
        for name in ["broker", "van-7", "desk"] { try await authority.issue(name) }
        let passwords = folder.file("passwords")
        for (options, user) in [(["-b", "-c"], "van-7"), (["-b"], "desk")] {
            let made = try await ChildProcess.run("mosquitto_passwd", options + [passwords, user, "\(user)-secret"])
            #expect(made.ending == .exited(0))
            try folder.write("\(user)-secret\n", to: "\(user).password", mode: 0o600)
        }
        let broker = try await MosquittoBroker(
            configuration: """
                cafile \(authority.certificate)
                certfile \(folder.file("broker.crt"))
                keyfile \(folder.file("broker.key"))
                require_certificate true
                allow_anonymous false
                password_file \(passwords)
                """, folder: folder)
        try folder.write(Capture.drive(seconds: 600), to: "drive.jsonl")
        let agent = try AgentProcess(
            folder: folder,
            configuration: """
                { fleet: "acme", device: "van-7", store: { path: "agent.db" },
                  broker: { url: "mqtts://127.0.0.1:\(broker.port)", username: "van-7", password_file: "van-7.password",
                    tls: { ca_file: "authority.crt", certificate_file: "van-7.crt", key_file: "van-7.key" } },
                  source: { replay: { file: "drive.jsonl", speed: 4 } } }
                """)
        func desk(_ arguments: [String], password: String = "desk.password") async throws -> (
            ending: ChildProcess.Ending, output: String, errors: String
        ) {
            let address = [
                "--broker", "mqtts://127.0.0.1:\(broker.port)", "--fleet", "acme", "--username", "desk",
                "--password-file", folder.file(password), "--ca-file", authority.certificate,
                "--certificate-file", folder.file("desk.crt"), "--key-file", folder.file("desk.key"),
            ]
            return try await ChildProcess.run(
                AgentProcess.executable, ["fleet"] + arguments + address, seconds: 60)
        }
        let document = try folder.write("{ version: 's', tracking: { heartbeat_interval: 60 } }", to: "s.json5")
        let set = try await desk(["config", "set", document, "--device", "van-7"])
        #expect(set.ending == .exited(0), "\(set.errors) \(agent.child.errors)")
        #expect(set.output == "in force: van-7\n")
        let status = try await desk(["status", "--json"])
        #expect(status.output.contains("\"configuration\":\"in_force\""), "\(status.output) \(status.errors)")
        let asked = try await desk(["command", "get_odometer", "--device", "van-7"])
        #expect(asked.ending == .exited(0), "\(asked.errors)")
        let wrong = try await desk(["status"], password: "van-7.password")
        #expect(wrong.ending == .exited(69))
        #expect(wrong.errors.contains("not authorised"), "\(wrong.errors)")
        let missing = try await desk(["status"], password: "nothing.password")
        #expect(missing.ending == .exited(66))
        #expect(missing.errors.contains("nothing.password"), "\(missing.errors)")
    }

    @Test("An offline vehicle is behind, and a withdrawal that it cannot receive is reported")
    func away() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess.driving(broker, folder: folder)
        let document = try folder.write("{ version: '1', tracking: { extras: { a: 1 } } }", to: "one.json5")
        _ = try await eventually { try subscriber.reports().first }
        let set = try await fleet(broker, ["config", "set", document, "--device", "van-7"])
        #expect(set.ending == .exited(0), "\(set.errors)")
        #expect(try await agent.stop() == .exited(0))
        let newer = try folder.write("{ version: '2' }", to: "two.json5")
        let waiting = try await fleet(broker, ["config", "set", newer, "--device", "van-7", "--timeout", "10"])
        #expect(waiting.ending == .exited(69))
        #expect(waiting.output.contains("offline; it receives the change when it connects\n"), "\(waiting.output)")
        #expect(waiting.output.contains("van-7    stopped "), "\(waiting.output)")
        let behind = try await fleet(broker, ["status", "--once"])
        #expect(behind.output.contains("van-7 1 → 2"), "\(behind.output)")
        #expect(behind.output.contains("stopped"))
        let unheard = try await fleet(broker, ["command", "flush", "--device", "van-7"])
        #expect(unheard.ending == .exited(69))
        #expect(unheard.errors.contains("van-7 is offline (stopped)"), "\(unheard.errors)")
        let nothing = try folder.write("", to: "nothing.json5")
        let unwanted = try await fleet(broker, ["config", "set", nothing, "--device", "van-7", "--timeout", "10"])
        #expect(unwanted.ending == .exited(64), "\(unwanted)")
        let withdrawn = try await fleet(
            broker, ["config", "set", nothing, "--device", "van-7", "--timeout", "10", "--yes"])
        #expect(withdrawn.ending == .exited(69))
        #expect(withdrawn.output.contains("will not receive the removal"), "\(withdrawn.output)")
        // The agent returns, keeps its document, and reports that the broker no longer holds it.
        let reports = try subscriber.reports().count
        let second = try AgentProcess.driving(broker, folder: folder)
        let told = try await eventually {
            try subscriber.reports().dropFirst(reports).last { $0.levels.first?.isRetained == false }
        }
        #expect(told?.levels.first?.version == "1", "\(second.child.errors)")
        #expect(told?.levels.first?.isApplied == true)
        let show = try await fleet(broker, ["config", "show", "--device", "van-7"])
        #expect(show.output.contains("the broker no longer retains it"), "\(show.output)")
        // The merged configuration, which the report omitted.
        #expect(show.output.contains("\"a\" : 1"))
        let again = try await fleet(broker, ["config", "set", nothing, "--device", "van-7", "--yes"])
        #expect(again.ending == .exited(0), "\(again.errors)")
        #expect(again.output == "in force: van-7\n")
    }

    @Test("An answer belongs to the vehicle of its topic, regardless of its contents")
    func forgedAnswer() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let online = """
            {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","run_id":"r","version":"1",\
            "timestamp":"2026-11-21T09:15:02.000Z"}
            """
        try await desk.publish(online, to: "fleet/acme/van-7/status")
        // An attacker that can read another vehicle's commands answers with the right correlation data.
        let ear = try ChildProcess(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(broker.port)", "-q", "1", "-t", "fleet/acme/van-7/command", "-C", "2",
                "-d",
            ])
        _ = try await eventually { ear.output.contains("SUBACK") ? true : nil }
        func command(timeout seconds: Int) throws -> ChildProcess {
            try ChildProcess(
                AgentProcess.executable,
                [
                    "fleet", "command", "get_odometer", "--device", "van-7", "--timeout", "\(seconds)", "--broker",
                    "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme",
                ])
        }
        func answer(from device: String, as address: String, heard: Int) async throws {
            let identifier = try await eventually { () -> String? in
                let found = ear.output.split(separator: "\"").filter { $0.hasPrefix("desk-") }.map(String.init)
                return found.count > heard ? found[heard] : nil
            }
            let payload = """
                {"id":"\(try #require(identifier))","status":"ok","address":"\(address)","odometer":1,"odometer_error":0}
                """
            let sent = try await ChildProcess.run(
                "mosquitto_pub",
                [
                    "-p", "\(broker.port)", "-q", "1", "-V", "5", "-D", "publish", "correlation-data", "van-7", "-t",
                    "fleet/acme/\(device)/response", "-m", payload,
                ])
            #expect(sent.ending == .exited(0), "\(sent.errors)")
        }
        let forged = try command(timeout: 5)
        try await answer(from: "van-8", as: "fleet/acme/van-7", heard: 0)
        try await answer(from: "van-7", as: "fleet/acme/van-8", heard: 0)
        #expect(try await forged.wait(seconds: 300) == .exited(69), "\(forged.output)")
        let honest = try command(timeout: 60)
        try await answer(from: "van-7", as: "fleet/acme/van-7", heard: 1)
        #expect(try await honest.wait(seconds: 300) == .exited(0), "\(honest.errors)")
    }

    @Test("On a terminal the table is updated, and the terminal is restored at the end")
    func live() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let desk = BrokerOperator(port: broker.port)
        let status = """
            {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","run_id":"r","version":"1",\
            "timestamp":"2026-11-21T09:15:02.000Z"}
            """
        try await desk.publish(status, to: "fleet/acme/van-1/status")
        let command = "\(AgentProcess.executable) fleet status --broker mqtt://127.0.0.1:\(broker.port) --fleet acme"
        let typescript = folder.file("typescript")
        // A real terminal with a small window.
        let script = "stty cols 120 rows 12; echo $$ > \(folder.file("identifier")); exec \(command)"
        let terminal = try ChildProcess("script", ["-qefc", script, typescript])
        func screen() -> String { (try? folder.read("typescript")) ?? "" }
        let first = try await eventually { screen().contains("van-1 ") ? true : nil }
        #expect(first != nil, "\(terminal.output)")
        try await desk.publish(status, to: "fleet/acme/van-2/status")
        let second = try await eventually { screen().contains("2 vehicles: 2 online") ? true : nil }
        #expect(second != nil, "\(terminal.output)")
        let hostile = try HostileData.poisoned(
            status.dropLast()
                + ",\"problems\":[{\"code\":\"c\",\"text\":\"t\",\"since\":\"2026-11-21T09:15:02.000Z\"}]}",
            as: StatusMessage.self)
        try await desk.publish(hostile, to: "fleet/acme/van-3/status")
        let third = try await eventually { screen().contains("x\u{FFFD}") ? true : nil }
        #expect(third != nil, "\(terminal.output)")
        let text = try folder.read("identifier")
        let identifier = try #require(pid_t(text.filter { $0.isNumber }))
        kill(identifier, SIGINT)
        #expect(try await terminal.wait() == .exited(0))
        let drawn = screen()
        #expect(drawn.contains("\u{1B}[?1049h"))
        #expect(drawn.contains("\u{1B}[?25h\u{1B}[?1049l"))
        // Apart from the program's own sequences, the output contains no control characters.
        var shown = drawn
        for own in ["?1049h", "?25l", "H", "K", "J", "?25h", "?1049l"] {
            shown = shown.replacing("\u{1B}[" + own, with: "")
        }
        shown = shown.replacing("\r\n", with: "\n").replacing("^C", with: "")
        // The terminal adds a carriage return to each line.
        #expect(HostileData.faults(in: shown).filter { $0 != "U+d" } == [])
    }
}
