import Glibc
import OdographHarness
import Testing

@Suite("Two agents in one folder")
struct OtherAgentTests {
    /// Returns the configurations of `van-7` and `van-8`, which share only the control socket.
    private func configurations(in folder: TemporaryFolder) throws -> (seven: String, eight: String) {
        func write(_ device: String) throws -> String {
            try folder.write(
                """
                { fleet: "acme", device: "\(device)", store: { path: "\(device).db" }, source: { simulator: {} },
                  broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" } }
                """, to: "\(device).json5")
        }
        return (try write("van-7"), try write("van-8"))
    }

    private func start(_ path: String) async throws -> ChildProcess {
        let agent = try Odograph.start("run", "-c", path)
        // The socket's file is there a moment before the agent listens.
        let isUp = try await eventually {
            try await Odograph.run("status", "--json", "-c", path).output.contains("\"is_running\":true") ? true : nil
        }
        #expect(isUp == true, "\(agent.errors)")
        return agent
    }

    @Test("A command reaches the agent of its configuration or none")
    func commands() async throws {
        let folder = try TemporaryFolder()
        let (seven, eight) = try configurations(in: folder)
        let agent = try await start(eight)
        let before = try await Odograph.run("odometer", "--json", "-c", eight)
        let commands = [
            ["odometer", "set", "4242"], ["odometer"], ["status"], ["locations"], ["timeline"], ["geofences"],
        ]
        for command in commands {
            let ran = try await ChildProcess.run(Odograph.executable, command + ["-c", seven])
            #expect(ran.ending == .exited(69), "\(command): \(ran.output)")
            #expect(ran.output == "")
            #expect(
                ran.errors.contains("the agent fleet/acme/van-8 responds on this socket, not fleet/acme/van-7"),
                "\(ran.errors)")
        }
        let after = try await Odograph.run("odometer", "--json", "-c", eight)
        #expect(after.code == 0)
        #expect(!after.output.contains("4242") && !before.output.isEmpty, "the wrong odometer was set: \(after.output)")
        let doctor = try await Odograph.run("doctor", "--wait", "1", "-c", seven)
        #expect(
            doctor.lines.contains { $0.hasPrefix("fail  agent ") && $0.contains("van-8 responds on this socket") },
            "\(doctor.output)")
        // The other agent's broker connection does not count.
        #expect(!doctor.output.contains("the running agent is connected"))
        // A command that names only the socket accepts any agent.
        #expect(try await Odograph.run("status", "--socket", folder.file("control.sock")).code == 0)
        withExtendedLifetime(agent) {}
    }

    @Test("A second agent does not start and does not disturb the first")
    func start() async throws {
        let folder = try TemporaryFolder()
        let (seven, eight) = try configurations(in: folder)
        let agent = try await start(eight)
        let second = try await Odograph.run("run", "-c", seven)
        #expect(second.code == 75)
        #expect(second.errors.contains("another agent uses this control socket"), "\(second.errors)")
        #expect(try await Odograph.run("status", "-c", eight).code == 0)
        withExtendedLifetime(agent) {}
    }

    @Test("A database of another agent is refused")
    func database() async throws {
        let folder = try TemporaryFolder()
        let (_, eight) = try configurations(in: folder)
        let agent = try await start(eight)
        agent.send(SIGTERM)
        #expect(try await agent.wait() == .exited(0))
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", store: { path: "van-8.db" }, source: { simulator: {} },
              broker: { url: "mqtt://127.0.0.1" } }
            """, to: "wrong.json5")
        for command in ["status", "odometer", "locations", "timeline", "geofences"] {
            let ran = try await Odograph.run(command, "-c", path)
            #expect(ran.code == 65, "\(command): \(ran.output)")
            #expect(
                ran.errors.contains("the database of the agent fleet/acme/van-8, not of fleet/acme/van-7"),
                "\(ran.errors)")
        }
        #expect(try await Odograph.run("status", "-c", eight).code == 0)
    }
}
