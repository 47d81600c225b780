import OdographCivilTime
import FoundationEssentials
import OdographHarness
import OdographWire
import Testing

@Suite("The driving style, as seen at the broker")
struct DrivingEventTests {
    private static let start = Timestamp(iso8601: "2026-11-20T08:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)

    /// A drive of 5 min at 16 m/s that ends with braking at 5.3 m/s² (0.54 g) in 3 s, and a stop of 20 min.
    private static var capture: String {
        var text = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
        var longitude = -3.0
        for second in 0..<1500 {
            let speed = max(min(Double(second) * 0.8, 16, 16 - 5.3 * Double(second - 300)), 0)
            let time = start.advanced(bySeconds: Double(second)).iso8601
            longitude += speed / 85_394
            text +=
                #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"\#(time)","#
            text += #""lat":40.0,"lon":\#(longitude),"altMSL":600.0,"eph":4.0,"speed":\#(speed),"track":90.0}"# + "\n"
        }
        return text
    }

    @Test("Hard braking is one record on the channel location, and the final trip counts it")
    func braking() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        try folder.write(Self.capture, to: "drive.jsonl")
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(
                broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }",
                tracking: "{ driving: { speed_limit: 10 } }"))
        let trip = try await eventually {
            try subscriber.revisions().map(\.event).first { $0.driving != nil }
        }
        let driving = try #require(trip?.driving, "\(agent.child.errors)")
        #expect(trip?.isProvisional == false && trip?.type == .inTransport)
        #expect([driving.acceleration, driving.braking, driving.cornering] == [0, 1, 0])
        #expect(abs(try #require(driving.maximumSpeed) - 16) < 0.1)
        #expect(try #require(driving.overspeedShare) > 0.9)
        _ = try await eventually { try Self.events(subscriber).isEmpty ? nil : true }
        #expect(try await agent.stop() == .exited(0))
        let events = try Self.events(subscriber)
        let event = try #require(events.first)
        #expect(events.count == 1 && event.event == .driving && event.driving?.kind == .braking)
        #expect(abs(try #require(event.driving?.peakG) - 0.54) < 0.02)
        let began = try #require(event.driving?.startedAt)
        #expect(abs(began.seconds(since: Self.start) - 300) <= 1)
    }

    /// Returns the different location records with an event of the driving style.
    private static func events(_ subscriber: Subscriber) throws -> [LocationEvent] {
        var seen: Set<Int64> = []
        return try subscriber.messages.filter { $0.topic.contains("/van-7/location") }
            .map { try JSONDecoder().decode(LocationMessage.self, from: Data($0.payload.utf8)).location }
            .filter { $0.driving != nil && seen.insert($0.seq ?? 0).inserted }
    }
}
