import Glibc
import OdographHarness
import Testing

@Suite("Secrets of the agent")
struct SecretTests {
    private static func configuration(_ broker: String) throws -> String {
        """
        { fleet: "acme", device: "van-7", store: { path: "agent.db" }, source: { simulator: {} },
          broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())", \(broker) } }
        """
    }

    @Test(
        "A password file that others may read is reported at the start, by config check and by doctor",
        arguments: [
            (0o644, "every user of this machine can open it (mode 644)"),
            (0o640, "every member of its group can open it (mode 640)"), (0o600, nil), (0o400, nil),
        ] as [(mode_t, String?)])
    func modes(mode: mode_t, words: String?) async throws {
        let folder = try TemporaryFolder()
        let password = try folder.write("hunter2\n", to: "broker.password")
        chmod(password, mode)
        let path = try folder.write(
            Self.configuration("username: \"u\", password_file: \"broker.password\""), to: "agent.json5")
        let agent = try Odograph.start("run", "-c", path)
        _ = try await eventually { agent.errors.contains(" started ") ? true : nil }
        agent.send(SIGTERM)
        #expect(try await agent.wait(seconds: 300) == .exited(0))
        let check = try await Odograph.run("config", "check", path)
        #expect(check.code == 0)
        let doctor = try await Odograph.run("doctor", "--wait", "1", "-c", path)
        for output in [agent.errors, check.errors, doctor.output] {
            #expect(output.contains("can open it") == (words != nil), "\(output)")
            guard let words else { continue }
            #expect(output.contains("password \(password): \(words)"), "\(output)")
            #expect(output.contains("chmod 600 \(password)"), "\(output)")
        }
    }

    @Test("A private key that others may read is reported")
    func key() async throws {
        let folder = try TemporaryFolder()
        try folder.write("-----BEGIN PRIVATE KEY-----\n", to: "van-7.key", mode: 0o644)
        try folder.write("-----BEGIN CERTIFICATE-----\n", to: "van-7.crt", mode: 0o644)
        let path = try folder.write(
            Self.configuration("tls: { certificate_file: \"van-7.crt\", key_file: \"van-7.key\" }"), to: "agent.json5")
        let check = try await Odograph.run("config", "check", path)
        #expect(check.errors.contains("private key \(folder.file("van-7.key")): every user"), "\(check.errors)")
        #expect(!check.errors.contains("van-7.crt"))
    }

    @Test("A credential from the service manager has an access list and is accepted")
    func handedOver() async throws {
        let folder = try TemporaryFolder()
        try folder.write("hunter2\n", to: "broker_password", mode: 0o440)
        let path = try folder.write(
            Self.configuration("username: \"u\", password_file: \"credential:broker_password\""), to: "agent.json5")
        let check = try await Odograph.run(
            "config", "check", path, environment: ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(check.code == 0)
        #expect(check.errors == "")
    }

    @Test(
        "No message repeats a secret from any wrong place in a configuration",
        arguments: [
            "broker: { url: \"mqtts://x\", password: \"hunter2\" }",
            "broker: { url: \"mqtts://x\", pasword: \"hunter2\" }",
            "broker: { url: \"mqtts://x\", passwd: 'hunter2' }", "broker: { url: \"mqtts://x\", password: hunter2 }",
            "broker: { url: \"mqtts://x\", password: \"hunter2 }",
            "broker: { url: \"mqtts://x\", password: 12hunter2 }",
            "broker: \"mqtts://bob:hunter2@x\"", "broker: [\"hunter2\"]", "broker: { url: \"mqtts://bob:hunter2@x\" }",
            "broker: { url: \"mqtts://bob:hunter2\" }", "broker: { url: \"mqtts://x\", tls: \"hunter2\" }",
            "broker: { url: \"mqtts://x\", username: { password: \"hunter2\" } }",
            "broker: { url: \"mqtts://x\", username: [\"bob\", \"hunter2\"] }",
            "broker: { url: \"mqtts://x\", password_file: [\"hunter2\"] }",
            "broker: { url: \"mqtts://x\", maximum_in_flight: \"hunter2\" }",
            "broker: { url: \"mqtts://x\", protocol: \"hunter2\" }",
            "broker: { url: \"mqtts://x\", reconnect: { minimum: \"hunter2\" } }",
            "broker: { url: \"mqtts://x\" }, password: \"hunter2\"",
            "broker: { url: \"mqtts://x\" }, brokr: { p: \"hunter2\" }",
            "broker: { url: \"mqtts://x\" }, tracking: { pasword: \"hunter2\" }",
            "broker: { url: \"mqtts://x\" }, source: { gpsd: { token: \"hunter2\" } }",
            "broker: { url: \"mqtts://x\" }, log: { level: { secret: \"hunter2\" } }",
            "broker: { url: \"mqtts://x\" }, groups: \"mqtts://bob:hunter2@x\"",
        ])
    func echoes(wrong: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{ fleet: \"acme\", device: \"van-7\", \(wrong) }", to: "agent.json5")
        let fleet = ["--all", "--broker", "mqtt://127.0.0.1:1", "--fleet", "acme"]
        for command in [
            ["config", "check", path], ["config", "show", path], ["run", "-c", path], ["status", "-c", path],
            ["fleet", "config", "set", path] + fleet,
        ] {
            let ran = try await ChildProcess.run(Odograph.executable, command)
            #expect(ran.ending == .exited(78), "\(ran.output)")
            #expect(!ran.errors.isEmpty)
            #expect(!(ran.output + ran.errors).contains("hunter2"), "\(ran.errors)")
        }
        let doctor = try await Odograph.run("doctor", "-c", path)
        #expect(!(doctor.output + doctor.errors).contains("hunter2"), "\(doctor.output)")
    }

    @Test("A misspelt key that is not allowed gets the reason and a remedy")
    func suggestions() async throws {
        let folder = try TemporaryFolder()
        for key in ["pasword", "passwort", "secret", "pass"] {
            let path = try folder.write(Self.configuration("\(key): \"x\""), to: "agent.json5")
            let ran = try await Odograph.run("config", "check", path)
            #expect(ran.code == 78)
            #expect(
                ran.errors.contains(
                    "broker.\(key): unknown key; if you mean \"password\": a configuration must not contain a "
                        + "password; put it into a separate file and set password_file"), "\(ran.errors)")
        }
        let path = try folder.write(Self.configuration("pasword_file: \"x\""), to: "agent.json5")
        #expect(try await Odograph.run("config", "check", path).errors.contains("did you mean \"password_file\"?"))
        let remote = try folder.write("{ brokr: {} }", to: "remote.json5")
        let set = try await Odograph.run(
            "fleet", "config", "set", remote, "--all", "--broker", "mqtt://127.0.0.1:1", "--fleet", "acme")
        #expect(
            set.errors.contains(
                "brokr: unknown key; did you mean \"broker\"?"))
    }
}
