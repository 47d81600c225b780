import Glibc
import OdographHarness
import Testing

/// Runs the desk's commands as a person who makes a mistake.
@Suite("Mistakes at the desk")
struct DeskMistakeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fleet(
        _ broker: MosquittoBroker, _ arguments: [String], input: String = ""
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        try await ChildProcess.run(
            AgentProcess.executable,
            ["fleet"] + arguments + ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--fleet", "acme"],
            environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.file("state")], input: input,
            seconds: 60)
    }

    @Test("A missing, an empty and an exposed password are named so")
    func password() async throws {
        try folder.write("", to: "users")
        let broker = try await MosquittoBroker(
            configuration: "allow_anonymous false\npassword_file \(folder.file("users"))")
        let missing = try await fleet(broker, ["status", "--once"])
        #expect(missing.ending == .exited(69), "\(missing)")
        let advice = "no password is given; use --password-file or ODOGRAPH_BROKER_PASSWORD"
        #expect(missing.errors.contains(advice), "\(missing)")
        let empty = try folder.write("\n", to: "empty", mode: 0o600)
        let refused = try await fleet(broker, ["status", "--once", "--password-file", empty])
        #expect(refused.ending == .exited(66) && refused.errors.contains("the first line is empty"), "\(refused)")
        let exposed = try folder.write("wrong\n", to: "exposed")
        chmod(exposed, 0o644)
        let wrong = try await fleet(broker, ["status", "--once", "--username", "u", "--password-file", exposed])
        #expect(wrong.ending == .exited(69) && wrong.errors.contains("chmod 600 \(exposed)"), "\(wrong)")
        #expect(!wrong.errors.contains(advice), "\(wrong)")
    }

    @Test("A schedule of single minutes is published with a warning")
    func schedule() async throws {
        let broker = try await MosquittoBroker()
        let document = "{ tracking: { schedule: '0 8-18 * * 1-5' } }"
        for options in [["--dry-run"], ["--timeout", "1"]] {
            let ran = try await fleet(broker, ["config", "set", "-", "--all", "--force"] + options, input: document)
            #expect(ran.ending == .exited(0), "\(ran)")
            #expect(ran.errors.contains("warning: tracking.schedule: the schedule has single minutes only"), "\(ran)")
        }
    }

    @Test("An unknown name beside a known vehicle does not hide that one")
    func locate() async throws {
        let broker = try await MosquittoBroker()
        let status = """
            {"device_id":"van-7","state":"online","reason":"connected","connection":1,"boot_id":"b","run_id":"r","version":"1",\
            "timestamp":"2026-11-21T09:15:02.000Z"}
            """
        try await BrokerOperator(port: broker.port).publish(status, to: "fleet/acme/van-7/status")
        let ran = try await fleet(broker, ["locate", "vna-7", "van-7"])
        #expect(ran.ending == .exited(69) && ran.errors.contains("did you mean van-7?"), "\(ran)")
        #expect(ran.output == "van-7\n  the broker has no position of it\n", "\(ran)")
    }
}
