import Glibc
import Odograph
import OdographHarness
import OdographJSON
import Testing
import OdographWire

/// `provision group`, with a program in the place of odograph, and with the real one.
@Suite("The change of a vehicle's groups by one command")
struct ProvisionGroupTests {
    private typealias Outcome = (ending: ChildProcess.Ending, output: String, errors: String)

    /// A folder with a program `odograph` that notes its arguments and the rules of the broker.
    /// - Parameters:
    ///   - output: Its output.
    ///   - code: Its exit code.
    private func standIn(_ folder: TemporaryFolder, output: String = "in force: van-7", code: Int = 0) throws -> String
    {
        mkdir(folder.file("programs"), 0o700)
        let script = """
            #!/bin/bash
            printf '%s ' "$@" >>\(folder.file("calls"))
            cp \(folder.file("fleet/broker/access.acl")) \(folder.file("during.acl"))
            printf '%s' '\(output)'
            exit \(code)
            """
        try folder.write(script + "\n", to: "programs/odograph", mode: 0o755)
        return folder.file("programs")
    }

    /// Returns the groups that the rules let a vehicle read.
    private func groups(of vehicle: String, in rules: String) -> [String] {
        let part = rules.split(separator: "\nuser ").first { $0.hasPrefix("\(vehicle)\n") } ?? ""
        return part.split(separator: "\n").compactMap { line in
            line.hasSuffix("/config")
                ? line.split(separator: "/").first { $0.hasPrefix("group:") }.map { String($0.dropFirst(6)) } : nil
        }
    }

    @Test("The rules permit both groups while the document is published, and afterwards only the new ones")
    func order() async throws {
        let folder = try TemporaryFolder()
        for arguments in [
            ["init", "--fleet", "acme", "--name", "broker.example"], ["vehicle", "van-7", "--group", "vans"],
            ["vehicle", "van-8", "--group", "vans"],
        ] {
            #expect(try await SecuredBroker.run(arguments, folder: folder).ending == .exited(0))
        }
        func change(_ groups: [String], output: String = "in force: van-7", code: Int = 0) async throws -> Outcome {
            try await SecuredBroker.run(
                ["--reload", "echo >>\(folder.file("reloads"))", "group", "van-7"] + groups, folder: folder,
                programs: try standIn(folder, output: output, code: code))
        }
        func rules() throws -> [String] { groups(of: "van-7", in: try folder.read("fleet/broker/access.acl")) }
        func during() throws -> [String] { groups(of: "van-7", in: try folder.read("during.acl")) }
        // Without systemd and --reload nothing is changed, because the broker would not have the rules.
        let alone = try await SecuredBroker.run(
            ["group", "van-7", "north"], folder: folder, programs: try standIn(folder))
        #expect(alone.ending == .exited(69) && alone.errors.contains("--reload COMMAND"), "\(alone)")
        #expect(try rules() == ["vans"])
        let changed = try await change(["north", "south"])
        #expect(changed.ending == .exited(0), "\(changed)")
        #expect(changed.output.hasSuffix("van-7: the groups north south\n"), "\(changed.output)")
        #expect(try during() == ["vans", "north", "south"])
        #expect(try rules() == ["north", "south"])
        #expect(groups(of: "van-8", in: try folder.read("fleet/broker/access.acl")) == ["vans"])
        let desk = folder.file("fleet/desk/desk.json5")
        let call = "fleet groups --profile \(desk) --force --timeout 30 van-7 north south "
        #expect(try folder.read("calls") == call)
        // The login, the wider rules, the new ones.
        #expect(try folder.read("reloads") == "\n\n\n")
        #expect(try folder.read("fleet/vehicles/van-7/agent.json5").contains("groups: [\"north\", \"south\"]"))
        let list = try await SecuredBroker.run(["list"], folder: folder).output
        #expect(list.contains("north south") && list.contains("provision"), "\(list)")
        for (name, mode) in [("desk.json5", "600"), ("broker_password", "600"), ("ca.crt", "600")] {
            let found = try await ChildProcess.run("stat", ["-c", "%a", folder.file("fleet/desk/\(name)")])
            #expect(found.output == mode + "\n", "\(name)")
        }
        let password = try folder.read("fleet/desk/broker_password")
        let table = "PENDING  STATE   REASON\nvan-7    "
        let away = try await change([], output: table + "offline 2 h  offline; it receives the change", code: 69)
        #expect(away.ending == .exited(0), "\(away)")
        #expect(away.output.hasSuffix("van-7: no group, as soon as it connects\n"), "\(away.output)")
        #expect(try rules() == [])
        #expect(try during() == ["north", "south"])
        #expect(try folder.read("calls").hasSuffix(" van-7 --none "))
        let slow = try await change(["vans"], output: table + "online 2 h  online, but has not reported", code: 69)
        #expect(slow.ending == .exited(69) && slow.errors.contains("has not reported within 30 s"), "\(slow)")
        #expect(try rules() == ["vans"])
        // Nothing was published, or the vehicle refuses the document: it keeps what it has.
        for (output, code) in [("", 69), ("van-7: groups: only the vehicle's local file", 1)] {
            let failed = try await change(["north"], output: output.replacing("'", with: ""), code: code)
            #expect(failed.ending == .exited(Int32(code)) && failed.errors.contains("repeat the command"), "\(failed)")
            #expect(try rules() == ["vans", "north"])
        }
        #expect(try await change(["north"]).ending == .exited(0))
        #expect(try rules() == ["north"])
        #expect(try folder.read("fleet/desk/broker_password") == password)
    }

    @Test("A vehicle changes its groups without a visit, online and offline, and the broker's rules agree")
    func vehicle() async throws {
        let broker = try await SecuredBroker(
            vehicles: [["van-7", "--group", "vans"], ["van-8"]], people: ["bob": "operator", "ann": "dashboard"])
        // The listeners of a test have other ports, so the profile is made before it is used.
        _ = try await SecuredBroker.run(
            ["--reload", broker.reloadCommand, "group", "van-8"], folder: broker.folder,
            programs: try standIn(broker.folder))
        let profile = "fleet/desk/desk.json5"
        try broker.folder.write(
            try broker.folder.read(profile).replacing(":8884", with: ":\(broker.peoplePort)"), to: profile, mode: 0o600)
        let programs = String(BuiltProgram.path("odograph").dropLast("/odograph".count))
        func change(_ groups: String...) async throws -> Outcome {
            try await SecuredBroker.run(
                ["--reload", broker.reloadCommand, "--wait", "200", "group", "van-7"] + groups, folder: broker.folder,
                programs: programs)
        }
        let vehicle = try await ProvisionedVehicle(broker)
        let watch = try await broker.listen(to: ["fleet/#"], as: .person("ann"))
        func reports() throws -> [ReportedMessage] {
            try watch.output.split(separator: "\n").filter { $0.contains("/van-7/reported {") }.compactMap { line in
                let payload = line.split(separator: " ", maxSplits: 1).last.map { Array($0.utf8) }
                return try payload.map { try ReportedMessage(message: $0) }
            }
        }
        func report(_ isSo: (ReportedMessage) -> Bool) async throws -> ReportedMessage? {
            try await eventually { try reports().last.flatMap { isSo($0) ? $0 : nil } }
        }
        let config = "fleet/acme/van-7/config"
        let extras = "{ \"tracking\": { \"extras\": { \"a\": 1 } } }"
        #expect(try await broker.publish(extras, to: config, as: .person("bob")))
        #expect(try await broker.publish("{}", to: "fleet/acme/group:north/config", as: .person("bob")))
        #expect(try await report { $0.levels.map(\.level) == ["van-7"] && $0.groups == ["vans"] } != nil)
        let online = try await change("north")
        #expect(online.ending == .exited(0), "\(online) \(vehicle.child.errors)")
        #expect(online.output.contains("in force: van-7\n"), "\(online.output)")
        #expect(online.output.hasSuffix("van-7: the groups north\n"), "\(online.output)")
        let joined = try await report { $0.levels.map(\.level) == ["group:north", "van-7"] }
        #expect(joined?.groups == ["north"], "\(vehicle.child.errors)")
        // The other keys of the document are kept.
        // A report that repeats the configuration leaves it out.
        let configuration = try reports().last { $0.configuration != nil }?.configuration
        #expect(configuration?["tracking"]?["extras"] == .object(["a": .integer(1)]))
        #expect(await vehicle.status()?.problems.isEmpty == true, "\(vehicle.child.errors)")
        // The rules: the vehicle's login reads the new group, and not the former one.
        let own = try await broker.listen(
            to: ["fleet/acme/group:vans/config", "fleet/acme/group:north/config"], as: .vehicle("van-7"))
        for group in ["vans", "north"] {
            #expect(try await broker.publish("{}", to: "fleet/acme/group:\(group)/config", as: .person("bob")))
        }
        #expect(try await eventually { own.output.contains("group:north/config {}") ? true : nil } != nil)
        #expect(!own.output.contains("group:vans/config {}"), "\(own.output)")
        // Neither another vehicle nor a person who only looks can change groups.
        for client in [SecuredBroker.Client.vehicle("van-8"), .person("ann"), .vehicle("van-7")] {
            #expect(try await !broker.publish("{ \"groups\": [] }", to: config, as: client), "\(client)")
        }
        // A vehicle that is away gets them when it connects.
        vehicle.child.send(SIGTERM)
        try await vehicle.child.wait()
        let away = try await SecuredBroker.run(
            ["--reload", broker.reloadCommand, "--wait", "1", "group", "van-7", "vans", "south"], folder: broker.folder,
            programs: programs)
        #expect(away.ending == .exited(0), "\(away)")
        #expect(away.output.hasSuffix("van-7: the groups vans south, as soon as it connects\n"), "\(away.output)")
        let again = try ChildProcess(
            AgentProcess.executable, ["run", "--config", vehicle.folder.file("agent.json5")],
            environment: ["CREDENTIALS_DIRECTORY": vehicle.folder.file("credentials")])
        #expect(try await report { $0.groups == ["vans", "south"] && $0.errors == [] } != nil, "\(again.errors)")
        // The broker refuses the former group at the connection. The document ends that.
        let isFree = try await eventually { await vehicle.status()?.problems.isEmpty == true ? true : nil }
        #expect(isFree != nil, "\(again.errors)")
        #expect(try await change().output.hasSuffix("van-7: no group\n"), "\(again.errors)")
        #expect(try await report { $0.groups == nil } != nil, "\(again.errors)")
    }
}
