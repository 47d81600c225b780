import Testing
import Wire

@testable import Odograph

@Suite("Names in the database")
struct DocumentNameTests {
    /// An agent that is updated looks for them under these.
    @Test("Are what they were")
    func names() {
        #expect(DocumentName.owner == "device" && DocumentName.clientID == "client_id")
        #expect(DocumentName.linkSession == "link_session" && DocumentName.linkProtocol == "link_protocol")
        #expect(DocumentName.answeredCommands == "answered_commands")
        #expect(DocumentName.commandExtras == "command_extras")
        let levels: [DownlinkLevel] = [.all, .group("vans"), .device]
        #expect(
            levels.map(DocumentName.configuration) == [
                "configuration:all", "configuration:group:vans", "configuration:device",
            ])
    }
}
