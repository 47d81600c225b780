import OdographCivilTime
import OdographHarness
import Logging
import OdographModel
import OdographWire

@testable import Odograph

/// An agent in the test's process with its own folder, database and control socket. The test sets its clock.
struct ClockedAgent {
    let folder: TemporaryFolder
    let clock: TestClock
    let agent: Agent

    /// A vehicle that drives from the start, with one position a second.
    static let driving = "{ simulator: { parked: 0 } }"

    /// - Parameters:
    ///   - port: The broker's port on the loopback interface.
    ///   - store: The path of the database.
    ///   - isTimeKnown: Whether the system time is set; otherwise it counts from 1970.
    init(
        broker port: UInt16, source: String = driving, tracking: String = "{}", store: String = "agent.db",
        control: String = "control.sock",
        isTimeKnown: Bool = true, in folder: TemporaryFolder? = nil, stopsAtEnd: Bool = false
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let start =
            isTimeKnown ? try ScheduleFixture.time("2026-11-20T08:10:00Z") : Timestamp(millisecondsSinceEpoch: 0)
        clock = TestClock(ClockReading(systemTime: start, uptimeMilliseconds: 20_000, isSystemTimeTrusted: isTimeKnown))
        let text = """
            { fleet: "acme", device: "van-7", control: { path: "\(control)" },
              broker: { url: "mqtt://127.0.0.1:\(port)", reconnect: { minimum: 0.1, maximum: 1 } },
              source: \(source), store: { path: "\(store)" }, tracking: \(tracking) }
            """
        agent = Agent(
            configuration: try ConfigurationFile.parse(text, folder: self.folder.path), stopsAtEnd: stopsAtEnd,
            clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Advances the clock until a problem is raised.
    /// - Parameter seconds: The step of the clock in seconds.
    func problem(_ code: Problem.Code, advancing seconds: Double = 0) async throws -> Problem? {
        try await eventually {
            clock.advance(bySeconds: seconds)
            return await agent.currentProblems.first { $0.code == code }
        }
    }

    /// Advances the clock until a problem is cleared.
    /// - Parameter seconds: The step of the clock in seconds.
    func isSettled(_ code: Problem.Code, advancing seconds: Double = 0) async throws -> Bool {
        try await eventually {
            clock.advance(bySeconds: seconds)
            return await agent.currentProblems.contains { $0.code == code } ? nil : true
        } ?? false
    }

    /// Returns the number of records in the outbox.
    func depth() async throws -> Int { try await agent.parts?.store.statistics().depth ?? 0 }
}
