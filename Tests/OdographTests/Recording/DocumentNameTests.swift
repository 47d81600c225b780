import Testing
import OdographWire

@testable import Odograph

@Suite("Names of documents in the database")
struct DocumentNameTests {
    /// An updated agent must find the documents of the previous version.
    @Test("The names never change")
    func names() {
        #expect(DocumentName.owner == "device" && DocumentName.clientID == "client_id")
        #expect(DocumentName.linkConnections == "link_connections" && DocumentName.linkProtocol == "link_protocol")
        #expect(DocumentName.linkKeepAlive == "link_keep_alive")
        #expect(DocumentName.linkBudget == "link_budget")
        #expect(DocumentName.answeredCommands == "answered_commands")
        #expect(DocumentName.commandExtras == "command_extras")
        #expect(DocumentName.drivers == "command_drivers" && DocumentName.programTag == "command_tag")
        #expect(DocumentName.programSignals == "command_signals")
        let levels: [DownlinkLevel] = [.all, .group("vans"), .device]
        #expect(
            levels.map(DocumentName.configuration) == [
                "configuration:all", "configuration:group:vans", "configuration:device",
            ])
    }
}
