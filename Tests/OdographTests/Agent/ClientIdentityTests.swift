import OdographCivilTime
import OdographHarness
import Logging
import OdographStore
import Testing

@testable import Odograph

@Suite("The client id")
struct ClientIdentityTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func configuration(device: String = "van-7", broker: String = "") throws -> AgentConfiguration {
        let folder = try TemporaryFolder()
        let text = "{ fleet: \"acme\", device: \"\(device)\", broker: { url: \"mqtts://broker.example\" \(broker) } }"
        return try ConfigurationFile.load(try folder.write(text, to: "agent.json5"))
    }

    private func store() async throws -> AgentStore {
        try await AgentStore.openInMemory(now: Timestamp(millisecondsSinceEpoch: 0)).store
    }

    private func load(_ configuration: AgentConfiguration, from store: AgentStore) async -> String {
        await ClientIdentity.load(configuration, from: store, logger: Self.quiet)
    }

    @Test("A generated client id is kept, differs between databases, and is valid for every broker")
    func drawn() async throws {
        let (mine, other) = (try await store(), try await store())
        let id = await load(try configuration(), from: mine)
        #expect(await load(try configuration(), from: mine) == id)
        #expect(await load(try configuration(), from: other) != id)
        // Client ids that every server must accept: MQTT 5, section 3.1.3.1.
        #expect(id.utf8.count <= 23 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        // 20 characters of 62 are 119 bits.
        #expect(id.count == 23 && Set((0..<1000).map { _ in RandomIdentifier.make() }).count == 1000)
    }

    @Test("The client id of another vehicle's database is replaced")
    func moved() async throws {
        let store = try await store()
        let id = await load(try configuration(), from: store)
        let moved = await load(try configuration(device: "van-8"), from: store)
        #expect(moved != id)
        #expect(await load(try configuration(device: "van-8"), from: store) == moved)
    }

    @Test("A configured client id is used unchanged and is not saved")
    func configured() async throws {
        let store = try await store()
        #expect(await load(try configuration(broker: ", client_id: \"thing-1\""), from: store) == "thing-1")
        #expect(await load(try configuration(), from: store) != "thing-1")
    }

    @Test(
        "An invalid client id is replaced", arguments: ["", "fleet/acme/van-7", "fleet/acme/van-7 ", "a b c", "\u{0}"])
    func unreadable(text: String) async throws {
        let store = try await store()
        try await store.saveDocument(DocumentName.clientID, Array(text.utf8))
        let id = await load(try configuration(), from: store)
        #expect(id.count == 23)
        #expect(await load(try configuration(), from: store) == id)
    }
}
