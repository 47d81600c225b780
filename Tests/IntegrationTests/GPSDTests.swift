import CivilTime
import Harness
import Positioning
import Testing
import Wire

@Suite("An agent at a real gpsd")
struct GPSDTests {
    @Test("Publishes what a receiver says through gpsd, as no mock, with the receiver's time")
    func receiver() async throws {
        let now = SystemAgentClock().now().systemTime
        let folder = try TemporaryFolder()
        let log = try folder.write(Self.sentences(from: now, seconds: 120), to: "receiver.nmea")
        let daemon = try await GPSDaemon(log: log, lineMilliseconds: 100)
        defer { daemon.stop() }
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: TemporaryFolder(),
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ gpsd: { port: \(daemon.port) } }",
                tracking: "{ filter: { maximum_age: 600 }, sampling: { minimum_interval: 0, distance: 1 } }"))
        let found = try await eventually(within: 40) { try subscriber.locations().first { $0.event.isMoving } }
        let event = try #require(found?.event, "\(agent.child.errors)")
        #expect(!event.mock)
        #expect(abs(event.coords.latitude - 48.1173) < 0.01)
        #expect(abs(event.coords.speed - 11.57) < 0.2)
        #expect(abs(event.timestamp.seconds(since: now)) < 200)
    }

    /// What an NMEA receiver on a vehicle that drives north at 22.5 knots says, once a second.
    private static func sentences(from start: Timestamp, seconds: Int) -> String {
        var text = ""
        for second in 0..<seconds {
            let time = start.advanced(bySeconds: Double(second)).iso8601
            let digits = time.filter(\.isNumber)
            let clock = digits.dropFirst(8).prefix(6) + ".00"
            let date = digits.dropFirst(6).prefix(2) + digits.dropFirst(4).prefix(2) + digits.dropFirst(2).prefix(2)
            let thousandths = 7038 + second * 6
            let latitude = "480\(thousandths / 1000).\(thousandths % 1000 + 1000)".replacing(
                ".1", with: ".", maxReplacements: 1)
            text += sentence("GPRMC,\(clock),A,\(latitude),N,01131.000,E,22.5,0.0,\(date),,,A")
            text += sentence("GPGGA,\(clock),\(latitude),N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
        }
        return text
    }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0), ^)
        return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
    }
}
