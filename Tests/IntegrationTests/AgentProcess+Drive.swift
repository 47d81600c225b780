import FoundationEssentials
import Odograph
import OdographHarness
import OdographOperator
import OdographWire
import Testing

/// A drive that lasts longer than any test needs, and its end. A replay that could end before the test has seen it
/// would make the test depend on the machine's speed.
extension AgentProcess {
    /// Returns a configuration that replays `drive.jsonl` 100 times faster. A parked vehicle makes no record: without a
    /// heartbeat, each record is a movement or an event.
    static func replayConfiguration(_ port: UInt16) -> String {
        configuration(
            broker: port, source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }",
            tracking: """
                { heartbeat_interval: 0,
                  sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
    }

    /// Turns tracking off over the broker, and waits until the broker and a subscriber have all records.
    /// - Parameters:
    ///   - port: The broker.
    ///   - subscriber: A subscriber to all topics of the vehicle.
    ///   - finalEvents: The number of final events of the timeline to wait for.
    ///   - records: The number of records that the subscriber has at least.
    func turnOff(port: UInt16, _ subscriber: Subscriber, finalEvents: Int = 2, records: Int) async throws {
        let hasTimeline = try await eventually {
            try Set(subscriber.revisions().filter { !$0.event.isProvisional }.map(\.event.eventID)).count
                >= finalEvents ? true : nil
        }
        #expect(hasTimeline != nil, "\(child.errors)")
        try await BrokerOperator(port: port).publish(#"{"tracking":{"enabled":false}}"#, to: "fleet/acme/van-7/config")
        let isOff = try await eventually { try subscriber.reports().last?.tracking.isEnabled == false ? true : nil }
        #expect(isOff != nil, "\(child.errors)")
        let isDone = try await eventually { () -> Bool? in
            guard await depth() == 0 else { return nil }
            return try subscriber.hasAll(atLeast: records) ? true : nil
        }
        #expect(isDone != nil, "\(child.errors)")
    }

    /// Returns the timeline that the agent has, from its socket.
    func timeline() throws -> [TimelineEventRevision] {
        let response = try ControlSocketClient(path: folder.file("control.sock")).perform(
            CommandRequest(
                id: "t", action: .getTimeline,
                parameters: ["from": .string("2026-11-20T00:00:00Z"), "limit": .integer(1000)]))
        #expect(response.members["more"] == .bool(false), "\(response)")
        return try JSONDecoder().decode(
            [TimelineEventRevision].self, from: JSONEncoder().encode(response.members["timeline_events"] ?? .null))
    }
}
