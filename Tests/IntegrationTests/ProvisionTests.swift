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

    @Test("The next command repeats a reload that has failed")
    func reload() async throws {
        let folder = try TemporaryFolder()
        _ = try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example")
        let failed = try await provision(folder, "vehicle", "van-7", "--group", "a", "--reload", "false")
        #expect(failed.code == 1 && failed.errors.contains("this command failed: false"), "\(failed.errors)")
        let mark = folder.file("reloaded")
        #expect(try await provision(folder, "vehicle", "van-7", "--group", "a", "--reload", "touch \(mark)").code == 0)
        #expect(unlink(mark) == 0)
        #expect(try await provision(folder, "vehicle", "van-7", "--group", "a", "--reload", "touch \(mark)").code == 0)
        #expect(access(mark, F_OK) != 0)
    }

    @Test("The programs on the broker's machine use its first name, also after a change")
    func moved() async throws {
        let folder = try TemporaryFolder()
        _ = try await provision(folder, "init", "--fleet", "acme", "--name", "old.example")
        #expect(try await provision(folder, "signer", "certs").code == 0)
        #expect(mkdir(folder.file("fleet/desk"), 0o700) == 0)
        try folder.write("{}", to: "fleet/desk/desk.json5")
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "new.example").code == 0)
        #expect(try folder.read("fleet/signer/settings").contains("new.example:8884"))
        #expect(try folder.read("fleet/signer/settings").contains("certs"))
        #expect(try folder.read("fleet/desk/desk.json5").contains("mqtts://new.example:8884"))
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
            (["vehicle", "all"], 64), (["person", "all", "--role", "operator"], 64), (["recorder", "all"], 64),
            (["person", "broker", "--role", "operator"], 64), (["vehicle", "van 7"], 64), (["vehicle"], 64),
            (["vehicle", "v", "w"], 64), (["group"], 64), (["group", "van-7", "a/b"], 64),
            (["group", "van-7", "--group", "vans"], 64), (["group", "van-9", "vans"], 1),
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
        let names = ["odograph.conf", "access.acl", "people", "limits.so"]
        let written = try names.dropLast().map { try folder.read(broker + $0) }
        for name in names { #expect(unlink(folder.file(broker + name)) == 0) }
        _ = try await SecuredBroker.run(commands[0], folder: folder)
        #expect(try names.dropLast().map { try folder.read(broker + $0) } == written)
        #expect(access(folder.file(broker + "limits.so"), R_OK) == 0)
        // With settings for each listener, many versions of mosquitto queue nothing for a session whose client is away.
        #expect(!written[0].contains("\nper_listener_settings"))
        #expect(written[0].contains("\nplugin \(folder.file(broker))limits.so\n"))
        #expect(written[2] == "ann dashboard\narchive recorder\n")
        let kept = { (state: String) in state.split(separator: "\n").filter { !$0.contains("/broker/") } }
        #expect(kept(try await self.state(folder)) == kept(before))
    }

    @Test("A warning of a newer header does not stop init, and the limits themselves compile without one")
    func warnings() async throws {
        let folder = try TemporaryFolder()
        let header = "#warning \"a newer version has another name for this\"\n#include_next <mosquitto.h>\n"
        #expect(mkdir(folder.file("headers"), 0o700) == 0)
        try folder.write(header, to: "headers/mosquitto.h")
        let mosquitto = Corpora.projectRoot + "/deploy/mosquitto/"
        let ran = try await ChildProcess.run(
            mosquitto + "provision",
            ["--folder", folder.file("fleet"), "init", "--fleet", "acme", "--name", "broker.example"],
            environment: ["CPATH": folder.file("headers")])
        #expect(ran.ending == .exited(0), "\(ran.errors)")
        #expect(ran.errors.isEmpty)
        let strict = try await ChildProcess.run(
            "gcc",
            ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wno-deprecated-declarations", "-fPIC", "-shared"]
                + ["-o", folder.file("limits.so"), mosquitto + "limits.c"])
        #expect(strict.ending == .exited(0))
        #expect(strict.errors.isEmpty, "\(strict.errors)")
    }

    @Test("Another mosquitto, or another compiler, gets limits of its own; without a compiler those that exist stay")
    func recompiled() async throws {
        let folder = try TemporaryFolder()
        let commands = ["init", "--fleet", "acme", "--name", "broker.example"]
        _ = try await SecuredBroker.run(commands, folder: folder)
        try folder.write("compiled for another version\n", to: "fleet/broker/limits.so")
        // All programs of this machine but gcc.
        let script = "mkdir \"$0\" && ln -s /usr/bin/* \"$0\" && rm \"$0/gcc\""
        let programs = folder.file("programs")
        #expect(try await ChildProcess.run("bash", ["-c", script, programs]).ending == .exited(0))
        let ran = try await ChildProcess.run(
            Corpora.projectRoot + "/deploy/mosquitto/provision", ["--folder", folder.file("fleet")] + commands,
            environment: ["PATH": programs])
        #expect(ran.ending == .exited(0), "\(ran.errors)")
        #expect(try folder.read("fleet/broker/limits.so") == "compiled for another version\n")
        _ = try await SecuredBroker.run(commands, folder: folder)
        let kind = try await ChildProcess.run("head", ["-c", "4", folder.file("fleet/broker/limits.so")])
        #expect(kind.output.hasSuffix("ELF"))
    }

    @Test(
        "Names that are equal as numbers are different names", arguments: [("7", "007"), ("10", "1e1"), ("0e1", "0e2")])
    func numbers(name: String, other: String) async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        #expect(try await provision(folder, "vehicle", name, "--group", "vans").code == 0)
        #expect(try await provision(folder, "vehicle", other, "--group", "lorries").code == 0)
        let rules = try folder.read("fleet/broker/access.acl").split(separator: "\n")
        #expect(rules.contains("user \(name)") && rules.contains("user \(other)"))
        #expect(try await provision(folder, "revoke", other).code == 0)
        let list = try await provision(folder, "list").output.split(separator: "\n")
        #expect(list.contains { $0.split(separator: " ")[1] == name[...] && $0.hasSuffix(" vans") }, "\(list)")
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
        let rules = try folder.read("fleet/broker/access.acl")
        #expect(!rules.contains("user van-7"))
        // A vehicle that is added again gets a new certificate.
        #expect(try await provision(folder, "vehicle", "van-7").code == 0)
        #expect(try await provision(folder, "list").output.contains("van-7"))
    }

    @Test("A revocation of several names takes their folders with the keys, and restarts the broker once")
    func severalNames() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        for name in ["van-7", "van-8", "van-9"] { _ = try await provision(folder, "vehicle", name) }
        #expect(try await provision(folder, "recorder", "archive").code == 0)
        let revoked = try await provision(folder, "revoke", "van-7", "van-10", "van-8", "archive")
        // The others are revoked all the same.
        #expect(revoked.code == 1 && revoked.errors == "provision: unknown name van-10; see provision list\n")
        #expect(revoked.output.split(separator: "Now restart the broker").count == 2, "\(revoked.output)")
        for path in ["vehicles/van-7", "vehicles/van-8", "recorders/archive"] {
            #expect(access(folder.file("fleet/\(path)"), F_OK) != 0, "\(path)")
        }
        let list = try await provision(folder, "list").output
        #expect(!list.contains("van-7") && !list.contains("archive") && list.contains("van-9"), "\(list)")
        #expect(try await provision(folder, "revoke", "van-9", "broker").code == 64)
        #expect(try await provision(folder, "list").output.contains("van-9"))
    }

    @Test("A vehicle that has renewed its certificate itself: its folder is not offered to another machine")
    func renewedItself() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        let first = try await provision(folder, "vehicle", "van-7", "--days", "20")
        #expect(first.output.contains("Copy \(folder.file("fleet/vehicles/van-7")) "), "\(first.output)")
        let script = """
            mkdir "$0"
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$0/key" -subj /CN=van-7 \\
                -out "$0/van-7.csr"
            """
        let made = try await ChildProcess.run("bash", ["-ec", script, folder.file("exchange")])
        #expect(made.ending == .exited(0), "\(made.errors)")
        #expect(try await provision(folder, "requests", "--sign", folder.file("exchange")).code == 0)
        let certificate = try folder.read("fleet/vehicles/van-7/van-7.crt")
        let again = try await provision(folder, "vehicle", "van-7")
        #expect(again.code == 0 && again.output.contains("for another machine run provision renew van-7"), "\(again)")
        #expect(!again.output.contains("Copy "), "\(again.output)")
        #expect(try folder.read("fleet/vehicles/van-7/van-7.crt") == certificate)
        #expect(try await provision(folder, "renew", "van-7").code == 0)
        #expect(try await provision(folder, "vehicle", "van-7").output.contains("Copy "))
    }

    @Test("A later init keeps the limits of an earlier one")
    func limits() async throws {
        let folder = try TemporaryFolder()
        func lines() throws -> [Substring] {
            try folder.read("fleet/broker/odograph.conf").split(separator: "\n").filter {
                $0.hasPrefix("max_connections") || $0.hasPrefix("memory_limit")
            }
        }
        let first = ["init", "--fleet", "acme", "--name", "broker.example"]
        for (arguments, vehicles, bytes) in [
            ([], 5000, 1 << 30), (["--connections", "11000"], 11_000, 1 << 30),
            (["--memory", "2048"], 11_000, 2 << 30), ([], 11_000, 2 << 30),
        ] as [([String], Int, Int)] {
            #expect(try await SecuredBroker.run(first + arguments, folder: folder).ending == .exited(0))
            // Those of people and of the page are not for vehicles.
            let others = ["max_connections 200", "max_connections 200"]
            #expect(try lines().map(String.init) == ["memory_limit \(bytes)", "max_connections \(vehicles)"] + others)
        }
        let wrong = try await SecuredBroker.run(first + ["--connections", "0"], folder: folder)
        #expect(wrong.ending == .exited(64))
    }

    @Test(
        "A repeated init adds names of the broker and keeps the others; only --drop removes one, and says who uses it")
    func hosts() async throws {
        let folder = try TemporaryFolder()
        func names() async throws -> String {
            try await ChildProcess.run(
                "openssl",
                ["x509", "-noout", "-ext", "subjectAltName", "-in", folder.file("fleet/broker/broker.crt")]
            ).output.split(separator: "\n").last.map { String($0.trimmingPrefix(while: { $0 == " " })) } ?? ""
        }
        let first = ["init", "--fleet", "acme"]
        #expect(try await SecuredBroker.run(first + ["--drop", "a.example"], folder: folder).ending == .exited(1))
        #expect(try await SecuredBroker.run(first + ["--name", "a.example"], folder: folder).ending == .exited(0))
        for arguments in [["vehicle", "van-7"], ["recorder", "archive"]] {
            #expect(try await SecuredBroker.run(arguments, folder: folder).ending == .exited(0))
        }
        let added = try await provision(folder, "init", "--fleet", "acme", "--name", "b.example")
        #expect(added.code == 0 && added.output.contains("connect to b.example, no longer to a.example"), "\(added)")
        #expect(try await names() == "DNS:b.example, DNS:a.example")
        #expect(try await provision(folder, "vehicle", "van-8").code == 0)
        #expect(try folder.read("fleet/vehicles/van-8/agent.json5").contains("mqtts://b.example:8883"))
        let kept = try await state(folder)
        #expect(try await provision(folder, "init", "--fleet", "acme").code == 0)
        for (arguments, code) in [
            (["--drop", "c.example"], 1), (["--drop", "b.example", "--name", "b.example"], 64),
            (["--drop", "a.example", "--drop", "b.example"], 64), (["--drop", "b/"], 64),
        ] as [([String], Int32)] {
            #expect(try await SecuredBroker.run(first + arguments, folder: folder).ending == .exited(code))
        }
        #expect(try await state(folder) == kept)
        let dropped = try await provision(folder, "init", "--fleet", "acme", "--drop", "a.example")
        #expect(dropped.code == 0 && dropped.output.contains("vehicles use it: van-7. "), "\(dropped)")
        #expect(dropped.output.contains("recorders use it: archive. "), "\(dropped)")
        #expect(try await names() == "DNS:b.example")
    }

    @Test("The list marks what has ended and what is missing, and says so with its exit code")
    func ends() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        for arguments in [["van-7"], ["van-8", "--days", "20"], ["van-9"]] {
            #expect(try await SecuredBroker.run(["vehicle"] + arguments, folder: folder).ending == .exited(0))
        }
        // In the second of the signature 20 whole days are left.
        let before = try await eventually {
            let list = try await provision(folder, "list")
            return list.output.contains(" 20 days") ? nil : list
        }
        let known = try #require(before)
        #expect(known.code == 0 && known.output.contains(" 19 days") && !known.output.contains("ENDED"), "\(known)")
        let issue = """
            cd "$0" && export PROVISION_NAMES=DNS:none
            openssl req -new -config authority/openssl.cnf -key vehicles/van-7/credentials/van-7.key -subj /CN=van-7 |
                openssl ca -batch -notext -config authority/openssl.cnf -extensions vehicle -in /dev/stdin \
                    -startdate 20200101000000Z -enddate 20210101000000Z -out vehicles/van-7/van-7.crt
            rm vehicles/van-9/van-9.crt
            """
        let issued = try await ChildProcess.run("bash", ["-ec", issue, folder.file("fleet")])
        #expect(issued.ending == .exited(0), "\(issued.errors)")
        let after = try await provision(folder, "list")
        #expect(after.code == 2 && after.errors.contains("provision renew"), "\(after)")
        let lines = after.output.split(separator: "\n")
        #expect(lines.filter { $0.contains("2021-01-01 ENDED") }.map { $0.contains("van-7") } == [true], "\(after)")
        #expect(lines.filter { $0.contains(" missing") }.map { $0.contains("van-9") } == [true], "\(after)")
        #expect(lines.contains { $0.hasPrefix("revocations") } && lines.contains { $0.hasPrefix("authority") })
    }

    @Test("A person gets no name that a certificate has, not even one of a vehicle that was not entered")
    func names() async throws {
        let folder = try TemporaryFolder()
        #expect(try await provision(folder, "init", "--fleet", "acme", "--name", "broker.example").code == 0)
        #expect(try await provision(folder, "vehicle", "van-7").code == 0)
        // As if the command had been interrupted.
        try folder.write("", to: "fleet/authority/vehicles")
        for arguments in [["person", "van-7", "--role", "operator"], ["recorder", "van-7"]] {
            let ran = try await SecuredBroker.run(arguments, folder: folder)
            #expect(ran.ending == .exited(1), "\(arguments)")
            #expect(ran.errors.contains("a certificate has the name van-7"), "\(ran.errors)")
        }
        #expect(try await provision(folder, "revoke", "van-7").code == 0)
        #expect(try await provision(folder, "person", "van-7", "--role", "operator").code == 0)
        #expect(try await provision(folder, "vehicle", "van-7").code == 1)
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
        // The password that was printed for a person no longer counts, which is said.
        #expect(try await provision(folder, "person", "rec", "--role", "recorder").code == 0)
        let replacing = try await provision(folder, "recorder", "rec")
        #expect(replacing.output.contains("rec: a new password replaces the former one\n"), "\(replacing.output)")
        // A person with another role keeps it.
        #expect(try await provision(folder, "person", "ann", "--role", "operator").code == 0)
        #expect(try await provision(folder, "recorder", "ann").code == 1)
        #expect(try await provision(folder, "list").output.contains("operator"))
    }
}
