import OdographCivilTime
import OdographJSON
import OdographLink
import OdographPositioning
import OdographWire
import Testing

@testable import Odograph

@Suite("Statuses of the agent")
struct StatusPublisherTests {
    @Test("A problem that comes after the connect message was made is missing until the status is made again")
    func outdated() throws {
        let publisher = StatusPublisher(
            address: try DeviceAddress(fleet: "acme", device: "van-7"), clock: SystemAgentClock())
        let problem = Problem(
            code: .beaconsLost, text: "no adapter", since: Timestamp(millisecondsSinceEpoch: 1_795_000_000_000))
        _ = publisher.connectMessage(connection: 1)
        #expect(!publisher.isOutdated)
        #expect(publisher.updateProblems([problem]))
        #expect(publisher.isOutdated)
        // The last will of the next connection is no status of an online agent.
        _ = publisher.willMessage(connection: 2)
        #expect(publisher.isOutdated)
        let status = try JSONCoder.decode(StatusMessage.self, from: publisher.statusMessage().payload)
        #expect(status.problems == [problem] && !publisher.isOutdated)
        #expect(publisher.updateProblems([]))
        #expect(publisher.isOutdated)
        _ = publisher.connectMessage(connection: 2)
        #expect(!publisher.isOutdated)
    }
}
