import OdographCivilTime
import Glibc
import OdographHarness
import Testing
import OdographWire

@testable import Odograph

@Suite("Problems with the broker")
struct BrokerProblemTests {
    @Test("An unreachable broker is a problem that names it until it is back", .timeLimit(.minutes(5)))
    func unreachable() async throws {
        let broker = try await MosquittoBroker()
        try await broker.stop()
        let vehicle = try ClockedAgent(broker: broker.port)
        try await vehicle.agent.start()
        let problem = try await vehicle.problem(.brokerUnreachable)
        #expect(problem?.text.contains("127.0.0.1") == true, "\(String(describing: problem))")
        try await broker.start()
        #expect(try await vehicle.isSettled(.brokerUnreachable))
        await vehicle.agent.stop()
    }

    @Test("Refused records stay in the outbox and are sent again after a minute", .timeLimit(.minutes(5)))
    func publishRefused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("topic readwrite fleet/acme/van-7/status\ntopic read fleet/#\n", to: "rules")
        let broker = try await MosquittoBroker(configuration: "acl_file \(folder.file("rules"))", folder: folder)
        let vehicle = try ClockedAgent(
            broker: broker.port, tracking: "{ sampling: { minimum_interval: 0, distance: 1 } }")
        try await vehicle.agent.start()
        let start = vehicle.clock.now().uptimeMilliseconds
        let problem = try await vehicle.problem(.publishRefused, advancing: 1)
        #expect(problem?.text.contains("Not authorized") == true, "\(String(describing: problem))")
        try folder.write("topic readwrite fleet/#\n", to: "rules")
        broker.reload()
        let isReloaded = try await eventually { broker.log.contains("Reloading config") ? true : nil }
        #expect(isReloaded != nil)
        #expect(try await vehicle.depth() > 0)
        #expect(await vehicle.agent.currentProblems.contains { $0.code == .publishRefused })
        // Records that were on their way are refused after this, too. A minute begins with each of them.
        #expect(try await vehicle.isSettled(.publishRefused, advancing: 1))
        #expect(vehicle.clock.now().uptimeMilliseconds >= start + 60_000)
        let isEmpty = try await eventually { try await vehicle.depth() == 0 ? true : nil }
        #expect(isEmpty != nil)
        await vehicle.agent.stop()
    }

    @Test(
        "A refused subscription is a problem that names the topic until the broker grants it",
        .timeLimit(.minutes(5)))
    func subscriptionRefused() async throws {
        let folder = try TemporaryFolder()
        func allowSubscriptions(_ isAllowed: Bool) throws {
            let rules =
                #"{"publishClientSend":true,"publishClientReceive":true,"subscribe":\#(isAllowed),"unsubscribe":true}"#
            try folder.write(#"{"defaultACLAccess":\#(rules)}"#, to: "rules.json")
        }
        try allowSubscriptions(false)
        let plugin = try #require(try await Self.dynamicSecurity())
        let broker = try await MosquittoBroker(
            configuration: "plugin \(plugin)\nplugin_opt_config_file \(folder.file("rules.json"))", folder: folder)
        let vehicle = try ClockedAgent(broker: broker.port)
        try await vehicle.agent.start()
        let problem = try await vehicle.problem(.subscriptionRefused)
        #expect(problem?.text.contains("fleet/acme/") == true, "\(String(describing: problem))")
        #expect(problem?.text.contains("Not authorized") == true, "\(String(describing: problem))")
        try await broker.stop(SIGTERM)
        try allowSubscriptions(true)
        try await broker.start()
        #expect(try await vehicle.isSettled(.subscriptionRefused, advancing: 1))
        await vehicle.agent.stop()
    }

    @Test("A joined group that the broker refuses is a problem until the vehicle leaves it", .timeLimit(.minutes(5)))
    func groupRefused() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            { "defaultACLAccess": {
                "publishClientSend": true, "publishClientReceive": true, "subscribe": true, "unsubscribe": true },
              "roles": [{ "rolename": "vehicle", "acls": [
                { "acltype": "subscribePattern", "topic": "fleet/acme/group:north/#", "allow": false }] }],
              "groups": [{ "groupname": "all", "clients": [], "roles": [{ "rolename": "vehicle" }] }],
              "anonymousGroup": "all" }
            """, to: "rules.json")
        let plugin = try #require(try await Self.dynamicSecurity())
        let broker = try await MosquittoBroker(
            configuration: "plugin \(plugin)\nplugin_opt_config_file \(folder.file("rules.json"))", folder: folder)
        let desk = BrokerOperator(port: broker.port)
        let vehicle = try ClockedAgent(broker: broker.port)
        try await vehicle.agent.start()
        try await desk.publish("{ groups: ['north'] }", to: "fleet/acme/van-7/config")
        let problem = try await vehicle.problem(.subscriptionRefused, advancing: 1)
        #expect(problem?.text.contains("fleet/acme/group:north/") == true, "\(String(describing: problem))")
        try await desk.publish("{ groups: ['south'] }", to: "fleet/acme/van-7/config")
        #expect(try await vehicle.isSettled(.subscriptionRefused, advancing: 1))
        await vehicle.agent.stop()
    }

    /// Returns the path of the broker's plugin whose rules also cover subscriptions; `acl_file` does not cover them.
    private static func dynamicSecurity() async throws -> String? {
        let files = try await ChildProcess.run("dpkg", ["-L", "mosquitto"]).output.split(separator: "\n")
        return files.first { $0.hasSuffix("/mosquitto_dynamic_security.so") }.map(String.init)
    }
}
