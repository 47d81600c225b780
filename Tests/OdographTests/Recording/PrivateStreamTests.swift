import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import Odograph

@Suite("Private time and the streams of the library")
struct PrivateStreamTests {
    private static let tracking = """
        { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }, timeline: { update_interval: 1 },
          schedule: "0-1,6-59 * * * *", time_zone: "UTC", off_schedule: { mode: "private" } }
        """

    @Test("The streams contain locations, stops and waypoints of open time, and none of private time")
    func streams() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let drive = Capture.drive(seconds: 480)
        try folder.write(drive, to: "drive.jsonl")
        let vehicle = try ClockedAgent(
            broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }",
            tracking: Self.tracking, in: folder)
        let (locations, updates) = (await vehicle.agent.locations, await vehicle.agent.timelineUpdates)
        async let events = locations.reduce(into: []) { $0 += try JSONCoder.bytes(of: $1) }
        async let revisions = updates.reduce(into: []) {
            $0 += try JSONCoder.bytes(of: TimelineMessage(deviceID: "van-7", timelineEvent: $1))
        }
        try await vehicle.agent.start()
        let isOver = try await eventually { await vehicle.agent.hasSourceEnded ? true : nil }
        #expect(isOver == true)
        await vehicle.agent.stop()
        let streams = (locations: try await events, timeline: try await revisions)
        // Minutes 2 to 5 are private. Each place is searched by the axis that changes in its minute; places near a turn
        // share it with a place of the minute beside it.
        let places = try drive.split(separator: "\n").dropFirst().map(Self.place)
        let hidden = LeakSearch((120..<360).filter { (4..<59).contains($0 % 60) }.map { places[$0] })
        #expect(hidden.finds(in: streams.locations) == [])
        #expect(hidden.finds(in: streams.timeline) == [])
        for open in [10..<110, 370..<470] {
            #expect(LeakSearch(Array(places[open])).finds(in: streams.locations) != [], "\(open)")
        }
        #expect(LeakSearch(Array(places[0..<120])).finds(in: streams.timeline) != [])
    }

    private static func place(_ line: Substring) throws -> LeakSearch.Place {
        let isNorthbound = line.contains("\"track\":0.0")
        let axis = try #require(
            (isNorthbound ? line.firstMatch(of: #/"lat":([-0-9.]+)/#) : line.firstMatch(of: #/"lon":([-0-9.]+)/#))
                .flatMap { Double($0.1) })
        return LeakSearch.Place(latitude: axis, longitude: axis)
    }
}
