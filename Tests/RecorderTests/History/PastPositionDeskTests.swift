import Odograph
import OdographHarness
import OdographJSON
import Testing

@testable import OdographRecorder

@Suite("The desk asks a recorder where a vehicle was")
struct PastPositionDeskTests {
    @Test("The command locate prints the place at a time from the recorder, and none of private use")
    func locate() async throws {
        let scene = try await HistoryScene([
            Payloads.event(1, "stop", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", place: "Depot"),
            Payloads.event(2, "trip", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:00:00Z", meters: 5000),
            Payloads.position(10, at: "2026-11-21T08:10:00Z", latitude: 40.1),
            Payloads.position(12, at: "2026-11-21T08:10:20Z", latitude: 40.1001),
            Payloads.event(
                3, "private", from: "2026-11-21T09:00:00Z", to: "2026-11-21T10:00:00Z", meters: 3000, isPrivate: true),
        ])
        func locate(_ time: String) async throws -> (code: ChildProcess.Ending, row: JSONValue?, errors: String) {
            let ran = try await ChildProcess.run(
                BuiltProgram.path("odograph"),
                [
                    "fleet", "locate", "van-7", "--at", time, "--json", "--broker",
                    "mqtt://127.0.0.1:\(scene.broker.port)", "--fleet", "acme", "--username", "ann",
                ], seconds: 120)
            return (ran.ending, try? JSONCoder.decode(JSONValue.self, from: Array(ran.output.utf8)), ran.errors)
        }
        let stop = try await locate("2026-11-21T07:30:00Z")
        #expect(stop.code == .exited(0) && stop.row?["kind"] == .string("stop"), "\(stop.errors)")
        #expect(stop.row?["name"] == .string("Depot") && stop.row?["error_meters"]?.double == 9)
        let between = try await locate("2026-11-21T08:10:10Z")
        #expect(between.row?["kind"] == .string("between"), "\(between)")
        #expect(abs((between.row?["latitude"]?.double ?? 0) - 40.10005) < 1e-6)
        // The odometer knows 20 m, and the places are 11 m apart.
        #expect(between.row?["error_meters"]?.double == 14 && between.row?["age_seconds"]?.double == -10)
        let hidden = try await locate("2026-11-21T09:30:00Z")
        #expect(hidden.code == .exited(69) && hidden.row?["kind"] == .string("private"))
        #expect(hidden.row?["latitude"] == .null && hidden.row?["geo"] == .null)
        try await scene.stop()
    }
}
