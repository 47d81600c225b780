import Glibc
import OdographHarness
import Odograph
import Testing

/// Checks `deploy/mosquitto` with a real broker: its configuration, rules and certificates.
@Suite("The secured broker")
struct SecuredBrokerTests {
    /// Breaks a vehicle's connection that has a will for a topic of another client.
    private func leaveWill(_ broker: SecuredBroker, topic: String) async throws {
        let child = try ChildProcess(
            "stdbuf",
            ["-oL", "mosquitto_sub"] + broker.arguments(.vehicle("van-7")) + [
                "-d", "-t", "x", "--will-topic", topic, "--will-payload", "forged", "--will-retain",
            ])
        _ = try await eventually { child.output.contains("SUBACK") ? true : nil }
        child.send(SIGKILL)
        try await child.wait()
    }

    private let config = "{ version: \"9\", tracking: { heartbeat_interval: 60 } }"

    @Test("A provisioned vehicle publishes on its topics and receives the documents of all its levels")
    func vehicle() async throws {
        let broker = try await SecuredBroker(people: ["ann": "dashboard", "bob": "operator"])
        let vehicle = try await ProvisionedVehicle(broker)
        let dashboard = try await broker.listen(to: ["fleet/#"], as: .person("ann"))
        for topic in ["all", "group:vans", "van-7"] {
            #expect(try await broker.publish(config, to: "fleet/acme/\(topic)/config", as: .person("bob")))
        }
        let isThere = try await eventually { () -> Bool? in
            let levels = ["\"level\":\"all\"", "\"level\":\"group:vans\"", "\"level\":\"van-7\""]
            let report = dashboard.output.split(separator: "\n").last { $0.contains("/reported ") } ?? ""
            let hasPosition = dashboard.output.contains("fleet/acme/van-7/location {")
            return hasPosition && levels.allSatisfy { report.contains($0) } ? true : nil
        }
        #expect(isThere != nil, "\(vehicle.child.errors) \(dashboard.output)")
        // A reload of the rules keeps existing connections.
        try await broker.provision("vehicle", "van-8", "--group", "vans")
        broker.reload()
        let before = try #require(await vehicle.status()).store.seq
        let goesOn = try await eventually {
            dashboard.output.contains("\"seq\":\(before + 5),") ? true : nil
        }
        #expect(goesOn != nil, "\(vehicle.child.errors)")
        // The doctor has the same certificate and does not end the agent's connection.
        let doctor = try await ChildProcess.run(
            AgentProcess.executable, ["doctor", "--config", vehicle.folder.file("agent.json5")],
            environment: ["CREDENTIALS_DIRECTORY": vehicle.folder.file("credentials")], seconds: 60)
        #expect(doctor.output.contains("the running agent is connected"), "\(doctor.output) \(doctor.errors)")
        #expect(!vehicle.child.errors.contains("no connection"))
    }

    @Test("The operator's commands work over the listener for people")
    func desk() async throws {
        let broker = try await SecuredBroker(people: ["bob": "operator"])
        let vehicle = try await ProvisionedVehicle(broker)
        let password = try broker.folder.write(SecuredBroker.password + "\n", to: "password", mode: 0o600)
        let access = [
            "--broker", "mqtts://127.0.0.1:\(broker.peoplePort)", "--fleet", "acme", "--username", "bob",
            "--password-file", password, "--ca-file", broker.folder.file("fleet/broker/ca.crt"),
        ]
        _ = try await eventually { vehicle.child.errors.contains("connected to the broker") ? true : nil }
        let asked = try await ChildProcess.run(
            AgentProcess.executable, ["fleet", "command", "get_odometer", "--device", "van-7"] + access, seconds: 60)
        #expect(asked.ending == .exited(0), "\(asked.errors) \(broker.log)")
        #expect(asked.output.contains("odometer"))
        let document = try broker.folder.write(config, to: "document.json5")
        let set = try await ChildProcess.run(
            AgentProcess.executable, ["fleet", "config", "set", document, "--device", "van-7"] + access, seconds: 60)
        #expect(set.ending == .exited(0), "\(set.errors)")
    }

    @Test("The listener for browsers serves the page to this machine only")
    func page() async throws {
        let broker = try await SecuredBroker()
        let script = "exec 3<>/dev/tcp/127.0.0.1/$0; printf 'GET /index.html HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
        let ran = try await ChildProcess.run("bash", ["-c", script, "\(broker.pagePort)"])
        #expect(ran.output.contains("the page"), "\(ran.output) \(ran.errors)")
        // In the kernel's table a listening socket has the state 0A, and its address is in machine words.
        let table = "awk -v port=:$(printf %04X \"$0\") '$4 == \"0A\" && $2 ~ port \"$\" { print $2 }' /proc/net/tcp*"
        for port in [broker.pagePort, broker.socketPort] {
            let places = try await ChildProcess.run("bash", ["-c", table, "\(port)"])
            let hosts = Set(places.output.split(separator: "\n").compactMap { $0.split(separator: ":").first })
            let loopbacks: Set<Substring> = [
                "0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000",
            ]
            #expect(!hosts.isEmpty && hosts.isSubset(of: loopbacks), "\(places.output) \(places.errors)")
        }
    }

    @Test("A vehicle can neither publish for others nor receive messages of others")
    func boundaries() async throws {
        let broker = try await SecuredBroker(
            vehicles: [["van-7", "--group", "vans"], ["van-8", "--group", "north"]],
            people: ["ann": "dashboard", "bob": "operator", "archive": "recorder"])
        let listening = try await broker.listen(to: ["#"], as: .person("ann"))
        for topic in [
            "fleet/acme/van-8/location", "fleet/acme/van-8/status", "fleet/acme/van-8/response",
            "fleet/acme/van-7/config", "fleet/acme/all/config", "fleet/acme/group:vans/config",
            "fleet/other/van-7/location",
            "fleet/acme/van-7", "fleet/acme/van-7/location/other", "elsewhere",
            "fleet/acme/van-7/receipt/main", "fleet/acme/van-8/given_up",
            "fleet/acme/van-8/batch",
        ] {
            #expect(try await !broker.publish("forged", to: topic, as: .vehicle("van-7")), "\(topic)")
        }
        for lane in ["given_up", "batch"] {
            #expect(try await broker.publish("named", to: "fleet/acme/van-7/\(lane)", as: .vehicle("van-7")))
        }
        try await leaveWill(broker, topic: "fleet/acme/van-8/status")
        #expect(try await broker.publish("here", to: "fleet/acme/van-7/location", as: .vehicle("van-7")))
        for name in ["van-7", "van-8"] {
            let topic = "fleet/acme/\(name)/receipt/main"
            #expect(try await broker.publish("of \(name)", to: topic, as: .person("archive")))
        }
        let vehicle = try await broker.listen(
            to: ["#", "fleet/acme/+/config", "fleet/acme/+/receipt/+"], as: .vehicle("van-7"))
        for topic in ["van-8", "group:north", "van-7", "group:vans", "all"] {
            #expect(try await broker.publish("for \(topic)", to: "fleet/acme/\(topic)/config", as: .person("bob")))
        }
        let heard = try await eventually {
            listening.output.contains("location here") && vehicle.output.contains("for all") ? true : nil
        }
        #expect(heard != nil, "\(listening.output) \(vehicle.output)")
        #expect(!listening.output.contains("forged"))
        let messages = vehicle.output.split(separator: "\n").filter { $0.hasPrefix("fleet/") }
        #expect(
            Set(messages) == [
                "fleet/acme/van-7/config for van-7", "fleet/acme/group:vans/config for group:vans",
                "fleet/acme/all/config for all", "fleet/acme/van-7/receipt/main of van-7",
            ])
    }

    @Test(
        "An operator may publish on topics for vehicles, an administrator also on retained ones of vehicles, a recorder receipts, and others nothing",
        arguments: ["dashboard", "operator", "administrator", "recorder", "homeassistant"])
    func people(role: String) async throws {
        let broker = try await SecuredBroker(people: ["ann": role, "bob": "dashboard"])
        let listening = try await broker.listen(to: ["fleet/#"], as: .person("bob"))
        for channel in ["config", "geofences", "geofences/depot", "command"] {
            for level in ["van-7", "group:vans", "all"] {
                let isTaken = try await broker.publish("m", to: "fleet/acme/\(level)/\(channel)", as: .person("ann"))
                #expect(isTaken == ["operator", "administrator"].contains(role), "\(level)/\(channel)")
            }
        }
        let receipt = try await broker.publish("r", to: "fleet/acme/van-7/receipt/main", as: .person("ann"))
        #expect(receipt == ["recorder", "administrator"].contains(role))
        for channel in ["location", "status", "reported", "timeline"] {
            let isTaken = try await broker.publish("m", to: "fleet/acme/van-7/\(channel)", as: .person("ann"))
            #expect(isTaken == (role == "administrator"), "\(channel)")
        }
        for channel in [
            "van-7/given_up", "van-7/batch", "van-7/location/backlog", "van-7/receipt", "van-7/receipt/main/x",
        ] {
            #expect(try await !broker.publish("forged", to: "fleet/acme/\(channel)", as: .person("ann")), "\(channel)")
        }
        #expect(!listening.output.contains("forged"))
        let stranger = try await ChildProcess.run(
            "mosquitto_pub", broker.arguments(.person("eve")) + ["-t", "fleet/acme/all/config", "-m", "m"])
        #expect(stranger.ending != .exited(0))
    }

    @Test("Passwords do not work on the vehicles' listener, and no client takes over a vehicle's connection")
    func identity() async throws {
        let broker = try await SecuredBroker(
            vehicles: [["van-7"], ["van-8"]], people: ["ann": "operator"])
        let first = try await broker.listen(to: ["fleet/acme/van-7/config"], as: .vehicle("van-7"))
        // A vehicle's name is not its client id.
        let thief = try await ChildProcess.run(
            "mosquitto_pub",
            broker.arguments(.vehicle("van-8")) + ["-i", "van-7", "-t", "fleet/acme/van-8/location", "-m", "m"])
        #expect(thief.ending == .exited(0))
        let person = try await ChildProcess.run(
            "mosquitto_pub",
            [
                "-h", "127.0.0.1", "-p", "\(broker.vehiclesPort)", "--cafile",
                broker.folder.file("fleet/broker/ca.crt"),
                "-u", "ann", "-P", SecuredBroker.password, "-t", "fleet/acme/all/config", "-m", "m",
            ])
        #expect(person.ending != .exited(0))
        #expect(first.poll() == nil && !first.output.contains("received DISCONNECT"), "\(first.output)")
    }
}
