import OdographCivilTime
import OdographHarness
import Testing
import OdographWire

@testable import Odograph

@Suite("Problems with the source of positions")
struct SourceProblemTests {
    @Test("A source that ends with an error is a problem that names the source and the reason", .timeLimit(.minutes(5)))
    func failed() async throws {
        let vehicle = try ClockedAgent(
            broker: try FreePort.next(), source: "{ replay: { file: \"no such file.jsonl\" } }")
        try await vehicle.agent.start()
        let problem = try await vehicle.problem(.sourceFailed)
        #expect(problem?.text.contains("no such file.jsonl") == true, "\(String(describing: problem))")
        await vehicle.agent.stop()
    }

    @Test(
        "Positions without a date for a minute are a problem until the system time is set",
        .timeLimit(.minutes(5)))
    func timeUnknown() async throws {
        let receiver = try DrivingReceiver()
        defer { receiver.stop() }
        let vehicle = try ClockedAgent(
            broker: try FreePort.next(), source: "{ gpsd: { host: \"127.0.0.1\", port: \(receiver.port) } }",
            isTimeKnown: false)
        try await vehicle.agent.start()
        let problem = try #require(try await vehicle.problem(.timeUnknown, advancing: 0.5))
        #expect(problem.text.contains("RMC"))
        #expect(problem.since >= Timestamp(millisecondsSinceEpoch: 60_000))
        vehicle.clock.set(try ScheduleFixture.time("2026-11-20T09:00:00Z"))
        #expect(try await vehicle.isSettled(.timeUnknown, advancing: 0.5))
        await vehicle.agent.stop()
    }
}
