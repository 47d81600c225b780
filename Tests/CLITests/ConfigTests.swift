import OdographHarness
import Testing

@Suite("odograph config")
struct ConfigTests {
    @Test("A valid file is confirmed with a summary")
    func good() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "{ fleet: \"acme\", device: \"van-7\", broker: { url: \"mqtts://broker.example\" } }", to: "agent.json5")
        let ran = try await Odograph.run("config", "check", path)
        #expect(ran.code == 0)
        #expect(ran.lines.first == "\(path): ok")
        #expect(ran.output.contains("fleet/acme/van-7"))
        #expect(ran.output.contains("mqtts://broker.example:8883"))
        #expect(ran.errors.isEmpty)
    }

    @Test("A schedule is shown in words, and one with windows of a minute is a warning")
    func schedule() async throws {
        let folder = try TemporaryFolder()
        func check(_ expression: String, _ options: String...) async throws -> Odograph.Outcome {
            let path = try folder.write(
                """
                { fleet: "acme", device: "van-7", broker: { url: "mqtts://broker.example" },
                  tracking: { schedule: "\(expression)", time_zone: "Europe/Madrid" } }
                """, to: "agent.json5")
            let ran = try await ChildProcess.run(Odograph.executable, ["config", "check", path] + options)
            #expect(ran.ending == .exited(0), "\(ran.errors)")
            return Odograph.Outcome(code: 0, output: ran.output, errors: ran.errors)
        }
        let right = try await check("* 8-18 * * 1-5")
        #expect(right.output.contains("from 08:00 to 18:59 on Monday to Friday, time zone Europe/Madrid"))
        #expect(right.errors.isEmpty, "\(right.errors)")
        let wrong = try await check("0 8-18 * * 1-5")
        #expect(wrong.output.contains("in minute 0 of hours 8 to 18 on Monday to Friday"), "\(wrong.output)")
        #expect(wrong.errors.contains("tracking.schedule: the schedule has single minutes only"))
        let json = try await check("@daily", "--json")
        #expect(json.output.contains("single minutes only") && json.output.contains("\"is_valid\":true"))
    }

    @Test("Every mistake is printed with file, path, value and remedy")
    func bad() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleet: "acme", device: "van 7", broker: { url: "mqtt://broker.example", maximum_in_flght: 5 },
              tracking: { desired_accuracy: "x", stationary: { distance: 1 } } }
            """, to: "agent.json5")
        for arguments in [["config", "check", path], ["run", "--config", path], ["status", "-c", path]] {
            let ran = try await ChildProcess.run(Odograph.executable, arguments)
            #expect(ran.ending == .exited(78))
            #expect(ran.output.isEmpty)
            let lines = ran.errors.split(separator: "\n")
            #expect(lines.count == 5, "\(ran.errors)")
            #expect(lines.allSatisfy { $0.hasPrefix("\(path): ") })
            #expect(ran.errors.contains("tracking.stationary.distance: must be from 10 to 10000 metres (found 1)"))
            #expect(ran.errors.contains("broker.maximum_in_flght: unknown key; did you mean \"maximum_in_flight\"?"))
            // The value may be a password.
            #expect(!ran.errors.contains("found 5"))
        }
    }

    @Test("The files that a configuration names are checked, and the service's check leaves them out")
    func namedFiles() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7",
              broker: { url: "mqtts://broker.example", username: "u", password_file: "broker.password",
                tls: { ca_file: "ca.crt", certificate_file: "van-7.crt", key_file: "van-7.key" } },
              source: { replay: { file: "drive.jsonl" } } }
            """, to: "agent.json5")
        try folder.write("\n", to: "broker.password", mode: 0o600)
        try folder.write("-----BEGIN CERTIFICATE-----\n", to: "van-7.crt")
        try folder.write("-----BEGIN CERTIFICATE-----\n", to: "van-7.key", mode: 0o600)
        let wrong = try await Odograph.run("config", "check", path)
        #expect(wrong.code == 78)
        #expect(wrong.output.isEmpty)
        #expect(
            wrong.errorLines == [
                "\(path): password \(folder.file("broker.password")): the first line is empty; write the secret into it",
                "\(path): private key \(folder.file("van-7.key")): contains no private key; give a file in PEM form",
                "\(path): trusted authorities \(folder.file("ca.crt")): the file does not exist; check the path",
                "\(path): \(folder.file("drive.jsonl")): the file does not exist; give the path of a gpsd capture "
                    + "(gpspipe -w) or of a GPX file",
            ])
        let service = try await Odograph.run("config", "check", "--without-files", path)
        #expect(service.code == 0, "\(service.errors)")
        try folder.write("secret\n", to: "broker.password", mode: 0o600)
        try folder.write("-----BEGIN PRIVATE KEY-----\n", to: "van-7.key", mode: 0o600)
        try folder.write("-----BEGIN CERTIFICATE-----\n", to: "ca.crt")
        try folder.write(Odograph.drive(seconds: 3), to: "drive.jsonl")
        let right = try await Odograph.run("config", "check", path)
        #expect(right.code == 0 && right.errors.isEmpty, "\(right.errors)")
    }

    @Test("A credential that the service manager has not handed over is a warning")
    func credential() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", broker: { url: "mqtts://broker.example", username: "u",
              password_file: "credential:odograph_broker_password" } }
            """, to: "agent.json5")
        let ran = try await Odograph.run(
            "config", "check", path, environment: ["CREDENTIALS_DIRECTORY": folder.file("none")])
        #expect(ran.code == 0)
        #expect(ran.errors.contains("password odograph_broker_password: not checked"), "\(ran.errors)")
    }

    @Test("The shown configuration reads back as the same configuration")
    func show() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1", maximum_in_flight: 7 },
              source: { simulator: { seed: 9 } }, tracking: { extras: { driver: "42" } } }
            """, to: "agent.json5")
        let shown = try await Odograph.run("config", "show", path)
        #expect(shown.code == 0)
        let again = try await Odograph.run("config", "show", try folder.write(shown.output, to: "shown.json5"))
        #expect(again.output == shown.output)
    }

    @Test("The file is taken from the environment by default")
    func environment() async throws {
        let folder = try TemporaryFolder()
        let ran = try await Odograph.run(
            "config", "check", environment: ["ODOGRAPH_CONFIG": folder.file("none.json5")])
        #expect(ran.code == 78)
        #expect(ran.errors == "\(folder.file("none.json5")): the file does not exist; check the path\n")
    }

    @Test("Help and completions exist for every shell", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let ran = try await Odograph.run("--generate-completion-script", shell)
        #expect(ran.code == 0)
        #expect(ran.output.contains("analyze"))
        #expect(try await Odograph.run("--help").output.contains("doctor"))
    }
}
