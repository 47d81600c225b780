import Glibc
import OdographHarness
import Testing

@Suite("Wrong use is reported before anything is done")
struct WrongUseTests {
    /// Returns a configuration without a reachable broker.
    private static func configuration(device: String = "van-7") throws -> String {
        """
        { fleet: "acme", device: "\(device)", store: { path: "db/agent.db" }, source: { simulator: {} },
          broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" } }
        """
    }

    @Test(
        "A missing configuration is reported with the ways to name one",
        .enabled(if: access("/etc/odograph/agent.json5", F_OK) != 0, "an agent is installed here"))
    func unnamed() async throws {
        for command in [["status"], ["config", "check"], ["config", "show"], ["run"]] {
            let ran = try await Self.run(command)
            #expect(ran.ending == .exited(78))
            #expect(
                ran.errors.hasSuffix("the file does not exist; give another one with --config or ODOGRAPH_CONFIG\n"))
        }
    }

    @Test("Two configurations in one command are refused")
    func twoConfigurations() async throws {
        let ran = try await Self.run(["config", "check", "a.json5", "-c", "b.json5"])
        #expect(ran.ending == .exited(64))
        #expect(ran.errors.contains("\"a.json5\" and \"b.json5\" are two configuration files; give one."))
    }

    @Test("A time range that ends before it begins is refused", arguments: ["locations", "timeline"])
    func turnedAround(command: String) async throws {
        let ran = try await Self.run([command, "--from", "2h", "--to", "3h"])
        #expect(ran.ending == .exited(64))
        #expect(ran.errors.contains("--from must not be later than --to; swap the two."))
    }

    @Test(
        "A wrong document or name is reported without a broker",
        arguments: [
            (["config", "set", "wrong.json5", "--all"], 78, "tracking.sampling.distanc: unknown key"),
            (["config", "set", "right.json5", "--device", "a/b"], 64, "device \"a/b\" is not a name"),
            (["config", "set", "empty.json5", "--all"], 64, "nothing was published; --yes publishes it"),
            (["config", "set", "/dev/null", "--all", "--json"], 64, "/dev/null is empty, which removes"),
            (["geofences", "push", "right.json5", "--group", "a b"], 64, "group \"a b\" is not a name"),
            (["config", "show", "--device", "a/b"], 64, "device \"a/b\" is not a name"),
            (["command", "get_status", "--device", "a/b"], 64, "device \"a/b\" is not a name"),
            (["config", "set", "right.json5", "--all", "--group", "vans"], 64, "exactly one of --device NAME"),
            (["status", "--password-file", "none"], 66, "none: the file does not exist"),
        ])
    func fleet(arguments: [String], code: Int32, words: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("{ tracking: { sampling: { distanc: 3 } } }", to: "wrong.json5")
        try folder.write("{ tracking: { sampling: { distance: 30 } } }", to: "right.json5")
        try folder.write("", to: "empty.json5")
        let files = ["wrong.json5", "right.json5", "empty.json5", "none"]
        let named = arguments.map { files.contains($0) ? folder.file($0) : $0 }
        let broker = ["--broker", "mqtt://127.0.0.1:\(try FreePort.next())", "--fleet", "acme"]
        let ran = try await Self.run(["fleet"] + named + broker)
        #expect(ran.ending == .exited(code), "\(ran.errors)")
        #expect(ran.errors.contains(words), "\(ran.errors)")
    }

    @Test("Without HOME, as a cron job can be, the desk has the home folder of the account")
    func noHome() async throws {
        let ran = try await ChildProcess.run(
            "env",
            ["-u", "HOME", "-u", "XDG_CONFIG_HOME", "-u", "ODOGRAPH_FLEET", Odograph.executable, "fleet", "status"]
                + ["--broker", "mqtt://127.0.0.1:\(try FreePort.next())"])
        #expect(ran.ending != .exited(0) && !ran.errors.contains("a profile (--profile)"), "\(ran.errors)")
    }

    @Test("A database that the user may not read is not reported as damaged")
    func forbidden() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.configuration(), to: "agent.json5")
        mkdir(folder.file("db"), 0o700)
        let database = try folder.write("whatever is in it", to: "db/agent.db", mode: 0)
        // Root can read every file unless it drops these capabilities.
        let ran = try await ChildProcess.run(
            "setpriv",
            (geteuid() == 0 ? ["--bounding-set=-dac_override,-dac_read_search"] : [])
                + [Odograph.executable, "status", "-c", path])
        #expect(ran.ending == .exited(77), "\(ran.errors)")
        #expect(ran.errors.contains("\(database): this user cannot read it; run this as root or as the agent's user"))
        #expect(try await ChildProcess.run("ls", [folder.file("db")]).output == "agent.db\n")
    }

    @Test("A database of another vehicle is reported once")
    func otherVehicle() async throws {
        let folder = try TemporaryFolder()
        var errors: [String] = []
        for device in ["van-7", "van-7", "van-8", "van-8"] {
            let path = try folder.write(Self.configuration(device: device), to: "agent.json5")
            let agent = try Odograph.start("run", "-c", path)
            _ = try await eventually { agent.errors.contains(" started ") ? true : nil }
            agent.send(SIGTERM)
            _ = try await agent.wait(seconds: 300)
            errors.append(agent.errors)
        }
        let words =
            "the database belonged to fleet/acme/van-7: fleet/acme/van-8 continues its odometer and its timeline"
        #expect(errors.map { $0.contains(words) } == [false, false, true, false], "\(errors)")
    }

    private static func run(_ arguments: [String]) async throws -> (
        ending: ChildProcess.Ending, output: String, errors: String
    ) {
        try await ChildProcess.run(Odograph.executable, arguments)
    }
}
