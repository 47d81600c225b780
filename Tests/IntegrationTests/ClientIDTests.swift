import Glibc
import OdographHarness
import Odograph
import Testing

/// Checks connections that use another client's id, at a broker with the configuration of `deploy/mosquitto`.
///
/// `ODOGRAPH_ATTACK_ROUNDS=1000 swift test --filter ClientIDTests` makes a thousand connections with each id, login and
/// listener.
@Suite("A client that uses another client's id")
struct ClientIDTests {
    private static let rounds = getenv("ODOGRAPH_ATTACK_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 15

    /// Returns a vehicle's client id from the broker's log, which only its administrator can read.
    private func clientID(of name: String, at broker: SecuredBroker) async throws -> String {
        let id = try await eventually {
            broker.log.split(separator: "\n").last { $0.hasSuffix("u'\(name)').") }
                .flatMap { $0.split(separator: " as ").last?.split(separator: " ").first }.map(String.init)
        }
        guard let id else { throw HarnessError("\(name) has not connected: \(broker.log)") }
        return id
    }

    @Test("It ends no vehicle's connection, causes no will and reads no queued message, on any listener")
    func attack() async throws {
        let broker = try await SecuredBroker(
            vehicles: [["van-7", "--group", "vans"], ["van-8"]], people: ["ann": "dashboard", "bob": "operator"])
        let watcher = try await broker.listen(to: ["fleet/#", "$SYS/#"], as: .person("ann"))
        let vehicle = try await ProvisionedVehicle(broker)
        let id = try await clientID(of: "van-7", at: broker)
        #expect(id.hasPrefix("odo") && id.count == 23, "\(id)")
        // An offline consumer with a queue that only its own login may read.
        let consumer = Crowd(
            access: broker.access(.person("bob"), at: .people), id: "0f6c7b1e-recorder", count: 1,
            kinds: ["persistent"], subscriptions: ["fleet/acme/+/location/#"])
        #expect(try await consumer.run().accepted == 1)

        for name in ["van-7", "fleet-acme-van-7", "acme-van-7", "odo"] {
            for listener in SecuredBroker.Listener.allCases {
                for client in [.person("ann"), .person("bob"), .vehicle("van-8")] as [SecuredBroker.Client] {
                    let outcome = try await Crowd(
                        access: broker.access(client, at: listener), id: name, count: Self.rounds
                    ).run()
                    #expect(outcome.messages == 0, "\(name) \(listener) \(client): \(outcome)")
                }
            }
        }
        let seq = try #require(await vehicle.status()).store.seq
        let goesOn = try await eventually { watcher.output.contains("\"seq\":\(seq + 3),") ? true : nil }
        #expect(goesOn != nil, "\(vehicle.child.errors) \(broker.log)")
        #expect(!vehicle.child.errors.contains("no connection"), "\(vehicle.child.errors)")
        #expect(!watcher.output.contains("\"offline\""), "\(watcher.output)")
        // No topic contains the id.
        #expect(!watcher.output.contains(id))
        // The consumer can still read its queue. The broker sends the first messages at once.
        let queue = try await consumer.run()
        #expect(queue.resumed == 1 && queue.messages > 0, "\(queue)")
        #expect(try await clientID(of: "van-7", at: broker) == id)
    }

    @Test("An agent keeps its client id after a reconnection and after a restart")
    func reconnect() async throws {
        let broker = try await SecuredBroker()
        let vehicle = try await ProvisionedVehicle(broker)
        let id = try await clientID(of: "van-7", at: broker)
        try await broker.restart()
        #expect(try await clientID(of: "van-7", at: broker) == id)
        vehicle.child.send(SIGTERM)
        _ = try await vehicle.child.wait()
        let again = try ChildProcess(
            AgentProcess.executable, ["run", "--config", vehicle.folder.file("agent.json5")],
            environment: ["CREDENTIALS_DIRECTORY": vehicle.folder.file("credentials")])
        let isBack = try await eventually { broker.log.split(separator: " as \(id) ").count > 2 ? true : nil }
        #expect(isBack != nil, "\(again.errors) \(broker.log)")
        // The id is not logged either.
        #expect(!again.errors.contains(id) && !vehicle.child.errors.contains(id))
    }

    @Test("Two tabs of one person can be connected at the same time")
    func tabs() async throws {
        let broker = try await SecuredBroker(people: ["ann": "dashboard"])
        let first = try await broker.listen(to: ["fleet/#"], as: .person("ann"))
        let second = try await broker.listen(to: ["fleet/#"], as: .person("ann"))
        _ = try await broker.publish("here", to: "fleet/acme/van-7/location", as: .vehicle("van-7"))
        let heard = try await eventually {
            [first, second].allSatisfy { $0.output.contains("location here") } ? true : nil
        }
        #expect(heard != nil, "\(first.output) \(second.output)")
    }
}
