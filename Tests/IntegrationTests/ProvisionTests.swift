import Glibc
import OdographHarness
import Testing

@Suite("The provision command")
struct ProvisionTests {
    private func provision(_ folder: TemporaryFolder, _ arguments: String..., input: String = "") async throws -> (
        code: Int32, output: String, errors: String
    ) {
        let ran = try await SecuredBroker.run(arguments, folder: folder, input: input)
        guard case .exited(let code) = ran.ending else { throw HarnessError("\(ran.ending)") }
        return (code, ran.output, ran.errors)
    }

    /// Returns the state of a folder: name, mode and content of each file.
    private func state(_ folder: TemporaryFolder) async throws -> String {
        let script =
            "cd \"$0\" && find . -type f ! -name '*.old' ! -name crlnumber ! -name revoked.crl | sort"
            + " | while read -r f; do stat -c '%a %n' \"$f\"; md5sum \"$f\"; done"
        return try await ChildProcess.run("bash", ["-c", script, folder.file("fleet")]).output
    }

    @Test("A repeated command changes nothing")
    func again() async throws {
        let folder = try TemporaryFolder()
        let commands = [
            ["init", "--fleet", "acme", "--name", "broker.example", "--name", "192.0.2.7"],
            ["vehicle", "van-7", "--group", "vans"], ["vehicle", "van-8"], ["person", "ann", "--role", "dashboard"],
        ]
        for command in commands {
            #expect(try await SecuredBroker.run(command, folder: folder).ending == .exited(0))
        }
        let before = try await state(folder)
        for command in commands {
            #expect(try await SecuredBroker.run(command, folder: folder).ending == .exited(0))
        }
        // Without `--group` the groups are kept.
        _ = try await provision(folder, "vehicle", "van-7")
        #expect(try await state(folder) == before)
        let list = try await provision(folder, "list").output
        for word in ["broker.example 192.0.2.7", "van-7", "vans", "van-8", "ann", "dashboard"] {
            #expect(list.contains(word), "\(list)")
        }
    }

    @Test("Only the owner can read keys and lists, and wrong arguments are refused before any change")
    func modes() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "list").code == 69)
        #expect(try await provision(folder, "init", "--fleet", "acme").code == 64)
        #expect(try await provision(folder, "init", "--fleet", "a b", "--name", "x").code == 64)
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        #expect(try await provision(folder, "vehicle", "van-7").code == 0)
        for (arguments, code) in [
            (["vehicle", "all"], 64), (["vehicle", "van 7"], 64), (["vehicle"], 64), (["vehicle", "v", "w"], 64),
            (["vehicle", "v", "--group", "a/b"], 64), (["person", "ann"], 64),
            (["person", "ann", "--role", "king"], 64),
            (["person", "van-7", "--role", "operator"], 1), (["revoke", "van-9"], 1), (["renew", "van-9"], 1),
            (["revoke", "broker"], 64), (["nonsense"], 64), (["list", "--nonsense"], 64),
            (["init", "--fleet", "other", "--name", "x"], 1),
        ] as [([String], Int32)] {
            let ran = try await SecuredBroker.run(arguments, folder: folder)
            #expect(ran.ending == .exited(code), "\(arguments): \(ran.errors)")
            #expect(ran.errors.hasPrefix("provision: "), "\(arguments): \(ran.errors)")
        }
        let short = try await provision(
            folder, "person", "ann", "--role", "operator", "--password-stdin", input: "short\n")
        #expect(short.code == 64)
        let open = try await ChildProcess.run(
            "find", [folder.file("fleet"), "-name", "*.key", "-perm", "/007", "-print"])
        #expect(open.output.isEmpty)
        let authority = try await ChildProcess.run("stat", ["-c", "%a", folder.file("fleet/authority/ca.key")])
        #expect(authority.output == "600\n")
    }

    @Test("A repeated init writes rules, listeners and limits anew, and keeps certificates, keys and passwords")
    func repeatedInit() async throws {
        let folder = try TemporaryFolder()
        let commands = [
            ["init", "--fleet", "acme", "--name", "broker.example"], ["vehicle", "van-7"],
            ["person", "ann", "--role", "dashboard"], ["person", "archive", "--role", "recorder"],
        ]
        for command in commands { _ = try await SecuredBroker.run(command, folder: folder) }
        let before = try await state(folder)
        let broker = "fleet/broker/"
        let names = ["odograph.conf", "vehicles.acl", "people.acl", "people"]
        let written = try names.map { try folder.read(broker + $0) }
        for name in names { try folder.write("another text\n", to: broker + name) }
        #expect(unlink(folder.file(broker + "limits.so")) == 0)
        _ = try await SecuredBroker.run(commands[0], folder: folder)
        #expect(try names.map { try folder.read(broker + $0) } == written)
        #expect(written[0].contains("plugin \(folder.file(broker))limits.so"))
        #expect(access(folder.file(broker + "limits.so"), R_OK) == 0)
        #expect(
            written[2].split(separator: "\n").filter { $0.contains("write") } == [
                "topic write fleet/history:acme/ann/request/+", "topic write fleet/acme/+/receipt/+",
                "topic write fleet/history:acme/+/answer/+",
            ])
        #expect(written[3] == "ann dashboard\narchive recorder\n")
        let kept = { (state: String) in state.split(separator: "\n").filter { !$0.contains("/broker/") } }
        #expect(kept(try await self.state(folder)) == kept(before))
    }

    @Test("A renewal issues another certificate for the same name, and a revocation covers both")
    func renewal() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        #expect(try await provision(folder, "vehicle", "van-7").code == 0)
        let first = try folder.read("fleet/vehicles/van-7/van-7.crt")
        #expect(try await provision(folder, "renew", "van-7").code == 0)
        #expect(try folder.read("fleet/vehicles/van-7/van-7.crt") != first)
        #expect(try await provision(folder, "renew", "broker").code == 0)
        #expect(try await provision(folder, "revoke", "van-7").code == 0)
        let list = try await ChildProcess.run(
            "openssl", ["crl", "-in", folder.file("fleet/broker/revoked.crl"), "-noout", "-text"])
        #expect(list.output.split(separator: "Serial Number:").count - 1 == 2, "\(list.output)")
        let rules = try folder.read("fleet/broker/vehicles.acl")
        #expect(!rules.contains("user van-7"))
        // A vehicle that is added again gets a new certificate.
        #expect(try await provision(folder, "vehicle", "van-7").code == 0)
        #expect(try await provision(folder, "list").output.contains("van-7"))
    }

    @Test("A repeated recorder keeps its password, and one that was revoked gets another")
    func recorder() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        let files = ["fleet/recorders/archive/credentials/broker_password", "fleet/broker/people.passwords"]
        func secrets() throws -> [String] { try files.map { try folder.read($0) } }
        #expect(try await provision(folder, "recorder", "archive").code == 0)
        let first = try secrets()
        #expect(try await provision(folder, "recorder", "archive").code == 0)
        #expect(try secrets() == first)
        #expect(try await provision(folder, "revoke", "archive").code == 0)
        #expect(access(folder.file(files[0]), F_OK) != 0)
        #expect(try await provision(folder, "recorder", "archive").code == 0)
        #expect(zip(try secrets(), first).allSatisfy { $0 != $1 })
        // A person with another role keeps it.
        #expect(try await provision(folder, "person", "ann", "--role", "operator").code == 0)
        #expect(try await provision(folder, "recorder", "ann").code == 1)
        #expect(try await provision(folder, "list").output.contains("operator"))
    }
}
