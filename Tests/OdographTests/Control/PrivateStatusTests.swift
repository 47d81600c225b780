import OdographGeodesy
import OdographHarness
import OdographJSON
import OdographModel
import OdographOperator
import OdographPositioning
import OdographTracking
import OdographWire
import Testing

@testable import Odograph

@Suite("The status in private time")
struct PrivateStatusTests {
    @Test(
        "The status shows the number of geofences in force, and those around the vehicle in open time only",
        .timeLimit(.minutes(5)),
        arguments: [("{}", 1), ("{ schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }", 0)])
    func geofences(tracking: String, inside: Int) async throws {
        // Minute 10, in which the agent starts, is outside the schedule.
        let vehicle = try ClockedAgent(
            broker: try FreePort.next(), source: "{ simulator: { parked: 86400 } }", tracking: tracking)
        guard case .simulator(let settings) = vehicle.agent.configuration.source else { return }
        try await vehicle.agent.start()
        try await vehicle.agent.addGeofences([
            Geofence(
                identifier: "around", shape: .circle(try Circle(center: settings.start, radiusMeters: 5000))),
            Geofence(
                identifier: "elsewhere",
                shape: .circle(
                    try Circle(
                        center: settings.start.destination(headingDegrees: 90, distanceMeters: 50_000),
                        radiusMeters: 500))),
        ])
        let control = ControlSocketClient(path: vehicle.folder.file("control.sock"))
        let status = try await eventually { () -> AgentStatus? in
            vehicle.clock.advance(bySeconds: 1)
            let response = try await control.response(to: CommandRequest(id: "s", action: .getStatus))
            let status = try JSONCoder.decode(AgentStatus.self, from: JSONCoder.bytes(of: response.members))
            // Enough positions to be certainly inside.
            return status.acceptedFixes > 60 ? status : nil
        }
        #expect(status?.geofences == GeofenceStatus(count: 2, inside: inside))
        #expect((status?.location == nil) == (inside == 0))
        await vehicle.agent.stop()
    }
}
