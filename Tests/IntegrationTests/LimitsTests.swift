import Glibc
import OdographHarness
import Odograph
import Testing

/// Checks what one login can make the broker store, with the configuration and `limits.c` of `deploy/mosquitto`.
///
/// `ODOGRAPH_SESSIONS=1000 swift test --filter LimitsTests` abandons a thousand sessions with the configured memory
/// limit.
@Suite("The limits of a login")
struct LimitsTests {
    private static let given = getenv("ODOGRAPH_SESSIONS").flatMap { Int(String(cString: $0)) }
    private static let sessions = given ?? 200
    /// The number of messages for the offline sessions. Without limits each takes about 200 bytes in each session.
    private static let messages = given == nil ? 3000 : 12_000

    private func broker() async throws -> SecuredBroker {
        try await SecuredBroker(
            vehicles: [["van-7"], ["van-8"]],
            people: [
                "ann": "dashboard", "bob": "operator", "eve": "administrator", "rec": "recorder",
                "home": "homeassistant",
            ],
            // The short form has less memory, in proportion to its fewer sessions and messages.
            settings: Self.given == nil ? [("memory_limit 1073741824", "memory_limit 50331648")] : [])
    }

    /// Publishes this many messages for a vehicle, as a person, who has no rate.
    private func flood(_ broker: SecuredBroker, _ count: Int) async throws {
        let line = String(repeating: "x", count: 500)
        try await BrokerOperator.flood(
            Array(repeating: line, count: count), to: "fleet/acme/van-8/location", isRetained: false,
            access: broker.access(.person("eve"), at: .people))
    }

    private func crowd(
        _ broker: SecuredBroker, _ person: String, at listener: SecuredBroker.Listener = .people, id: String,
        count: Int = 1, kinds: [String] = ["persistent"], subscriptions: [String] = ["fleet/#"]
    ) -> Crowd {
        Crowd(
            access: broker.access(.person(person), at: listener), id: id, count: count, kinds: kinds,
            subscriptions: subscriptions, isAbandoned: true)
    }

    @Test("Abandoned sessions that subscribe to everything stop neither the vehicles nor a recorder")
    func abandoned() async throws {
        let broker = try await broker()
        #expect(try await crowd(broker, "rec", id: "recorder-5d1c").run().accepted == 1)
        let kinds = ["persistent", "persistent5", "fresh5"]
        for (person, listener) in [("ann", .page), ("bob", .people)] as [(String, SecuredBroker.Listener)] {
            let outcome = try await crowd(
                broker, person, at: listener, id: "\(person)-{n}", count: Self.sessions / 2, kinds: kinds,
                subscriptions: ["#", "fleet/+/+/location/#"]
            ).run()
            #expect(outcome.accepted == Self.sessions / 2, "\(outcome)")
        }
        let before = broker.residentKilobytes
        try await flood(broker, Self.messages)
        let after = broker.residentKilobytes
        print("\(Self.sessions) sessions, \(Self.messages) messages: the broker had \(before) kB, then \(after) kB")

        let vehicle = try await ProvisionedVehicle(broker)
        let watcher = try await broker.listen(to: ["fleet/acme/van-7/#"], as: .person("ann"))
        let arrives = try await eventually { watcher.output.contains("\"seq\":5,") ? true : nil }
        #expect(arrives != nil, "\(vehicle.child.errors) \(broker.log.suffix(2000))")
        #expect(!broker.log.contains("Out of memory"))
        // The recorder's queue is complete, and a reading client has no time limit.
        let queue = try await broker.drain("recorder-5d1c", as: "rec", atLeast: Self.messages)
        #expect(queue >= Self.messages, "\(queue)")
    }

    @Test("A page that is offline for a moment receives the messages of that time")
    func away() async throws {
        let broker = try await broker()
        #expect(try await crowd(broker, "ann", at: .page, id: "tab", kinds: ["persistent5"]).run().accepted == 1)
        try await flood(broker, 500)
        #expect(try await broker.drain("tab", as: "ann", atLeast: 500) >= 500)
    }

    @Test("Another login cannot take over a session, whether its client is connected or not")
    func sessions() async throws {
        let broker = try await broker()
        let first = crowd(broker, "rec", id: "recorder")
        #expect(try await first.run().accepted == 1)
        for (person, words) in [("ann", 0), ("bob", 10)] {
            // The first round has an empty queue.
            if words > 0 { try await flood(broker, words) }
            for listener in [SecuredBroker.Listener.people, .page] {
                let outcome = try await crowd(
                    broker, person, at: listener, id: "recorder", count: 5, kinds: ["clean", "persistent5"]
                ).run()
                #expect(outcome.accepted == 0 && outcome.messages == 0, "\(outcome)")
            }
        }
        let queue = try await first.run()
        #expect(queue.accepted == 1 && queue.resumed == 1 && queue.messages > 0, "\(queue)")
    }

    @Test("A login has a bounded number of connections, regains ended ones, and does not affect other logins")
    func connections() async throws {
        let broker = try await broker()
        // Consecutive connections are not limited, and attempts with a wrong password do not count.
        for listener in [SecuredBroker.Listener.people, .page] {
            var stranger = crowd(broker, "ann", at: listener, id: "s-{n}", count: 30, kinds: ["clean5"])
            stranger.access = stranger.access.map { $0 == SecuredBroker.password ? "wrong" : $0 }
            #expect(try await stranger.run().refused == ["135": 30])
            let outcome = try await crowd(broker, "ann", at: listener, id: "a-{n}", count: 50, kinds: ["clean5"]).run()
            #expect(outcome.accepted == 50, "\(outcome)")
        }
        var many = crowd(broker, "ann", at: .page, id: "deaf-{n}", count: 30, kinds: ["clean5"])
        let held = try many.hold()
        let told = try await eventually { try many.outcome(of: held) }
        #expect(told?.accepted == 20 && told?.refused == ["135": 10], "\(held.errors)")
        let more = try await crowd(broker, "ann", id: "one-more").run()
        #expect(more.refused == ["5": 1], "\(more)")
        #expect(try await crowd(broker, "bob", id: "another").run().accepted == 1)
        held.send(SIGKILL)
        _ = try await held.wait()
        let isBack = try await eventually {
            try await crowd(broker, "ann", id: "one-more").run().accepted == 1 ? true : nil
        }
        #expect(isBack != nil, "\(broker.log)")
        many.count = 20
        #expect(try await many.run().accepted == 20)
    }

    @Test("A connection has a bounded number of subscriptions, and filters and client ids have a bounded length")
    func subscriptions() async throws {
        let broker = try await broker()
        let filters = (0..<120).map { "fleet/acme/van-\($0)/location" }
        #expect(try await crowd(broker, "ann", id: "a", subscriptions: filters).run().denied == 20)
        // Home Assistant subscribes to each topic of each vehicle.
        #expect(try await crowd(broker, "home", id: "h", subscriptions: filters).run().denied == 0)
        let long = "fleet/" + String(repeating: "x", count: 300)
        #expect(try await crowd(broker, "ann", id: "b", subscriptions: [long, "fleet/#"]).run().denied == 1)
        #expect(try await crowd(broker, "ann", id: String(repeating: "i", count: 129)).run().accepted == 0)
        var vehicle = Crowd(access: broker.access(.vehicle("van-8"), at: .vehicles), id: "v", kinds: ["clean"])
        vehicle.subscriptions = (0..<1020).map { "fleet/acme/group:\($0)/config" }
        #expect(try await vehicle.run().denied == 20)
    }

    @Test("A vehicle that sends too fast loses its connection but nothing acknowledged, and no other is affected")
    func rate() async throws {
        let broker = try await broker()
        let watcher = try await broker.listen(to: ["fleet/acme/#"], as: .person("ann"))
        func received(_ topic: String) -> Set<Int> {
            Set(
                watcher.output.split(separator: "\n").filter { $0.hasPrefix(topic + " ") }.compactMap {
                    Int($0.dropFirst(topic.count + 1))
                })
        }
        let floods = [
            ("clean", "location"), ("clean5", "geofence"), ("persistent", "timeline"), ("persistent5", "batch"),
        ]
        for (kind, channel) in floods {
            let topic = "fleet/acme/van-8/\(channel)"
            let outcome = try await Crowd(
                access: broker.access(.vehicle("van-8"), at: .vehicles), id: "flood", kinds: [kind], flood: topic,
                will: "fleet/acme/van-8/status"
            ).run()
            #expect(outcome.accepted == 1 && outcome.cut == 1 && outcome.acknowledged < 60_000, "\(outcome)")
            // The end of a connection can lose acknowledgements, so there may be more. The first flood has the full
            // allowance.
            let least = max(outcome.acknowledged, channel == "location" ? 2000 : 0)
            let isComplete = try await eventually {
                received(topic).isSuperset(of: (0..<least).map { $0 + 1 }) ? true : nil
            }
            #expect(isComplete != nil, "\(outcome), \(received(topic).count)")
        }
        // The broker publishes the last will of a connection that it ends.
        #expect(try await eventually { watcher.output.contains("van-8/status gone") ? true : nil } != nil)
        // No line for each message, or for each connection.
        let told = broker.log.split(separator: "limits: van-8 sends too fast.").count - 1
        #expect((1..<floods.count).contains(told), "\(broker.log.suffix(2000))")

        #expect(try await broker.publish("here", to: "fleet/acme/van-7/location", as: .vehicle("van-7")))
        let arrives = try await eventually { watcher.output.contains("van-7/location here") ? true : nil }
        #expect(arrives != nil && watcher.poll() == nil, "\(broker.log.suffix(2000))")
        // With time the vehicle can send again.
        let sends = try await eventually {
            let ran = try await ChildProcess.run(
                "mosquitto_pub",
                broker.arguments(.vehicle("van-8")) + ["-t", "fleet/acme/van-8/location", "-m", "again"])
            return ran.ending == .exited(0) ? true : nil
        }
        #expect(sends != nil)
        let person = Crowd(
            access: broker.access(.person("eve"), at: .people), id: "eve", kinds: ["clean"],
            flood: "fleet/acme/van-8/location", floodCount: 5000)
        #expect(try await person.run().acknowledged == 5000)
    }

    @Test("A vehicle can publish the largest packet; only its answers have properties")
    func largest() async throws {
        let broker = try await broker()
        try broker.folder.write(String(repeating: "x", count: 8_388_000), to: "large")
        for (channel, arguments, isAccepted) in [
            ("location", ["-f", broker.folder.file("large")], true),
            ("location", ["-m", "x", "-D", "publish", "user-property", "a", "b"], false),
            ("response", ["-m", "x", "-D", "publish", "user-property", "a", "b"], true),
        ] {
            let ran = try await ChildProcess.run(
                "mosquitto_pub",
                broker.arguments(.vehicle("van-8")) + ["-d", "-t", "fleet/acme/van-8/\(channel)"] + arguments)
            #expect(ran.output.contains("PUBACK"), "\(channel): \(ran)")
            #expect(ran.errors.contains("Not authorized") != isAccepted, "\(channel): \(ran)")
        }
    }

    @Test("An agent with the configuration of provision empties a large outbox without losing its connection")
    func backlog() async throws {
        let count = 3000
        let broker = try await broker()
        let folder = try TemporaryFolder()
        try folder.write(Capture.drive(seconds: count), to: "drive.jsonl")
        let offline = try await ProvisionedVehicle(
            broker, in: folder, port: try FreePort.next(),
            source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }")
        let isFull = try await eventually { await offline.status()?.store.depth ?? 0 >= count ? true : nil }
        #expect(isFull != nil, "\(offline.child.errors)")
        offline.child.send(SIGTERM)
        #expect(try await offline.child.wait() == .exited(0))
        let watcher = try await broker.listen(to: ["fleet/acme/van-7/#"], as: .person("ann"))
        let online = try await ProvisionedVehicle(broker, in: folder)
        let arrives = try await eventually { watcher.output.utf8.count { $0 == 10 } > count ? true : nil }
        #expect(arrives != nil, "\(online.child.errors) \(broker.log.suffix(2000))")
        let isComplete = try await eventually { () -> Bool? in
            let numbers = watcher.output.matches(of: /"seq":([0-9]+)/).compactMap { Int($0.output.1) }
            return Set(numbers).isSuperset(of: 1...count) ? true : nil
        }
        #expect(isComplete != nil, "\(online.child.errors) \(broker.log.suffix(2000))")
        let connections = broker.log.split(separator: "\n").filter {
            $0.contains("New client connected") && $0.contains("'van-7'")
        }
        #expect(connections.count == 1 && !broker.log.contains("limits: van-7"), "\(broker.log.suffix(2000))")
        #expect(online.child.poll() == nil)
    }

    @Test("A reload of the broker keeps connections and limits, and a revoked login is refused")
    func reload() async throws {
        let broker = try await broker()
        let listening = try await broker.listen(to: ["fleet/#"], as: .person("ann"))
        broker.reload()
        try await flood(broker, 1)
        let hears = try await eventually { listening.output.contains("van-8/location xxx") ? true : nil }
        #expect(hears != nil && listening.poll() == nil, "\(listening.output) \(broker.log)")
        #expect(try await broker.provision("revoke", "bob").contains("Now restart the broker"))
        try await broker.restart()
        #expect(try await crowd(broker, "bob", id: "b").run().accepted == 0)
    }
}
