import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import Testing
import OdographWire

@Suite("An agent with a real gpsd")
struct GPSDTests {
    @Test("The agent publishes the receiver's positions from gpsd with the receiver's time, not as mock")
    func receiver() async throws {
        let now = SystemAgentClock().now().systemTime
        let folder = try TemporaryFolder()
        let log = try folder.write(NMEADrive(start: now).log(seconds: 120), to: "receiver.nmea")
        let daemon = try await GPSDaemon(log: log, lineMilliseconds: 100)
        defer { daemon.stop() }
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: TemporaryFolder(),
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ gpsd: { port: \(daemon.port) } }",
                tracking: "{ filter: { maximum_age: 600 }, sampling: { minimum_interval: 0, distance: 1 } }"))
        let found = try await eventually { try subscriber.locations().first { $0.event.isMoving } }
        let event = try #require(found?.event, "\(agent.child.errors)")
        #expect(!event.mock)
        #expect(abs(event.coords.latitude - 48.1173) < 0.01)
        #expect(abs(event.coords.speed - 11.1) < 0.2)
        #expect(abs(event.timestamp.seconds(since: now)) < 200)
    }
}
