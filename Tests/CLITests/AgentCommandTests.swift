import Glibc
import OdographHarness
import Testing

@Suite("Commands that query an agent")
struct AgentCommandTests {
    private static func configuration(port: UInt16, source: String) -> String {
        """
        { fleet: "acme", device: "van-7", store: { path: "db/agent.db" }, source: \(source),
          broker: { url: "mqtt://127.0.0.1:\(port)", reconnect: { minimum: 0.1, maximum: 1 } } }
        """
    }

    @Test("Without an agent and a database the commands report it")
    func nothing() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            Self.configuration(port: 1, source: "{ simulator: {} }"), to: "agent.json5")
        for command in ["status", "locations", "odometer"] {
            let ran = try await Odograph.run(command, "-c", path)
            #expect(ran.code == 69)
            #expect(ran.errors.contains("no agent runs on this socket"), "\(ran.errors)")
        }
        #expect(access(folder.file("db"), F_OK) != 0, "asking made something")
        #expect(try await Odograph.run("odometer", "set", "5", "-c", path).code == 69)
        let other = folder.file("none.sock")
        #expect(try await Odograph.run("status", "--socket", other).code == 69)
        let named = try await Odograph.run("status", "--socket", other, "-c", path)
        #expect(named.code == 69 && named.errors.contains("\(other): no agent runs on this socket"), "\(named.errors)")
    }

    @Test("A program on the vehicle sets values; each answer is one line of JSON, and a tag alone is not private time")
    func programs() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            Self.configuration(port: try FreePort.next(), source: "{ simulator: {} }"), to: "agent.json5")
        let nan = try await Odograph.run("set", "signals", "--engine-speed", "nan", "-c", path)
        #expect(nan.code == 64 && nan.errors.contains("--engine-speed is nan; give a number."), "\(nan.errors)")
        for arguments in [[], ["--none", "--private"], ["x", "--none"]] {
            let ran = try await ChildProcess.run(Odograph.executable, ["set", "tag", "-c", path] + arguments)
            #expect(ran.ending == .exited(64), "\(arguments): \(ran.errors)")
        }
        let agent = try Odograph.start("run", "-c", path)
        let isUp = try await eventually {
            try await Odograph.run("status", "--json", "-c", path).output.contains("\"is_running\":true") ? true : nil
        }
        #expect(isUp != nil, "\(agent.errors)")
        for (arguments, output) in [
            (["driver", "Ann"], "{}\n"), (["tag", "private"], "{}\n"), (["tag", "--private"], "{}\n"),
            (["tag", "--none"], "{}\n"), (["signals", "--ignition", "on"], "{}\n"),
            (["extras", "{ job: 1, b: [2] }"], "{\"b\":[2],\"job\":1}\n"),
        ] {
            let ran = try await ChildProcess.run(Odograph.executable, ["set"] + arguments + ["--json", "-c", path])
            #expect(ran.ending == .exited(0) && ran.output == output, "\(arguments): \(ran.output) \(ran.errors)")
            #expect(ran.errors.contains("private time needs --private") == (arguments == ["tag", "private"]))
            let plain = try await ChildProcess.run(Odograph.executable, ["set"] + arguments + ["-c", path])
            #expect(plain.output.isEmpty == (arguments[0] != "extras"), "\(arguments): \(plain.output)")
        }
        agent.send(SIGTERM)
        #expect(try await agent.wait() == .exited(0))
    }

    @Test("The commands query the running agent, or its database after it has stopped")
    func life() async throws {
        let folder = try TemporaryFolder()
        // No broker listens on this port, so the records stay in the outbox.
        let path = try folder.write(
            Self.configuration(port: try FreePort.next(), source: "{ simulator: {} }"), to: "agent.json5")
        let agent = try Odograph.start("run", "-c", path)
        let isUp = try await eventually { access(folder.file("db/control.sock"), F_OK) == 0 ? true : nil }
        #expect(isUp != nil, "\(agent.errors)")
        // With an unset clock the agent waits until several positions agree on the time.
        let hasRecorded = try await eventually {
            try await Odograph.run("locations", "--json", "-c", path).lines.isEmpty ? nil : true
        }
        #expect(hasRecorded != nil, "\(agent.errors)")
        let status = try await Odograph.run("status", "-c", path)
        #expect(status.code == 0)
        #expect(status.output.contains("fleet/acme/van-7, odograph"))
        #expect(status.output.contains("not connected"))
        #expect(try await Odograph.run("status", "--json", "-c", path).output.contains("\"is_running\":true"))
        let set = try await Odograph.run("odometer", "set", "5000", "--json", "-c", path)
        // The vehicle may have driven some metres between the command and the answer.
        #expect(set.output.hasPrefix("{\"odometer\":50"), "\(set.output)")
        let second = try await Odograph.run("run", "-c", path)
        #expect(second.code == 75)
        #expect(second.errors.contains("another agent has this database open"))
        agent.send(SIGTERM)
        #expect(try await agent.wait() == .exited(0))

        let after = try await Odograph.run("status", "-c", path)
        #expect(after.code == 0)
        #expect(after.output.contains("not running"))
        #expect(try await Odograph.run("odometer", "-c", path).output.hasPrefix("5."))
        let locations = try await Odograph.run("locations", "--json", "--limit", "2", "-c", path)
        #expect(locations.code == 0)
        #expect((1...2).contains(locations.lines.count))
        #expect(locations.lines.allSatisfy { $0.contains("\"latitude\"") })
        #expect(try await Odograph.run("locations", "-c", path).lines.first?.hasPrefix("time (UTC)") == true)
        #expect(try await Odograph.run("odometer", "set", "5", "-c", path).code == 69)
        #expect(try await Odograph.run("locations", "--from", "yesterday", "-c", path).code == 64)
    }

    @Test("A replay ends when everything is delivered, and leaves no files")
    func replay() async throws {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker()
        let path = try folder.write(
            Self.configuration(port: broker.port, source: "{ simulator: {} }"), to: "agent.json5")
        let drive = try folder.write(Odograph.drive(seconds: 300), to: "drive.jsonl")
        let ran = try await Odograph.run("replay", drive, "--speed", "max", "-c", path)
        #expect(ran.code == 0, "\(ran.errors)")
        #expect(ran.output.isEmpty)
        #expect(ran.errors.contains("has ended fixes=300"))
        #expect(!ran.errors.contains("\u{1B}"))
        let left = try await ChildProcess.run("ls", [folder.file("db")])
        #expect(left.output.isEmpty)
        #expect(try await Odograph.run("replay", folder.file("none"), "-c", path).code == 66)
        #expect(try await Odograph.run("replay", drive, "--speed", "0", "-c", path).code == 64)
    }

    @Test("A replay that was stopped continues at its position")
    func interruptedReplay() async throws {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoBroker()
        let path = try folder.write(
            Self.configuration(port: broker.port, source: "{ simulator: {} }"), to: "agent.json5")
        let drive = try folder.write(Odograph.drive(seconds: 1200), to: "drive.jsonl")
        let first = try Odograph.start("replay", drive, "--speed", "10", "-c", path)
        _ = try await eventually { first.errors.contains("connected to the broker") ? true : nil }
        try await Task.sleep(for: .seconds(1))
        first.send(SIGTERM)
        #expect(try await first.wait(seconds: 300) == .exited(0))
        #expect(!first.errors.contains("has ended"))
        let second = try await Odograph.run("replay", drive, "--speed", "max", "-c", path)
        #expect(second.code == 0)
        #expect(second.errors.contains("has ended"), "\(second.errors)")
        let fixes = second.errors.split(separator: "fixes=").last.flatMap { Int($0.prefix { $0.isNumber }) }
        #expect(fixes == 1200)
        let left = try await ChildProcess.run("ls", [folder.file("db")])
        #expect(left.output.isEmpty)
    }

    @Test("The log has one line a message, with the journal's levels if it goes to the journal")
    func log() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            Self.configuration(port: try FreePort.next(), source: "{ simulator: {} }"), to: "agent.json5")
        // The shell determines the identity of the error stream, as the service manager would.
        let script = "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec \"$0\" run -c \"$1\""
        let agent = try ChildProcess("sh", ["-c", script, Odograph.executable, path])
        _ = try await eventually { agent.errors.contains(" started ") ? true : nil }
        agent.send(SIGTERM)
        _ = try await agent.wait()
        let lines = agent.errors.split(separator: "\n")
        #expect(lines.count > 2)
        #expect(lines.allSatisfy { $0.hasPrefix("<") && $0.dropFirst(2).hasPrefix(">") }, "\(agent.errors)")
    }
}
