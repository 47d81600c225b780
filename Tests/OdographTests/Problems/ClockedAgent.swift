import CivilTime
import Harness
import Logging
import OdographModel
import Wire

@testable import Odograph

/// An agent in the test's process, with a database and a control socket in a folder of its own, by a clock that the test sets.
struct ClockedAgent {
    let folder: TemporaryFolder
    let clock: TestClock
    let agent: Agent

    /// A vehicle that drives from the start, a position a second of the clock.
    static let driving = "{ simulator: { parked: 0 } }"

    /// - Parameters:
    ///   - port: of the broker on the loopback.
    ///   - store: the path of the database.
    ///   - isTimeKnown: whether the machine's clock is set; otherwise it counts from 1970.
    init(
        broker port: UInt16, source: String = driving, tracking: String = "{}", store: String = "agent.db",
        isTimeKnown: Bool = true, in folder: TemporaryFolder? = nil, stopsAtEnd: Bool = false
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let start =
            isTimeKnown ? try ScheduleFixture.time("2026-11-20T08:10:00Z") : Timestamp(millisecondsSinceEpoch: 0)
        clock = TestClock(ClockReading(systemTime: start, uptimeMilliseconds: 20_000, isSystemTimeTrusted: isTimeKnown))
        let text = """
            { fleet: "acme", device: "van-7", control: { path: "control.sock" },
              broker: { url: "mqtt://127.0.0.1:\(port)", reconnect: { minimum: 0.1, maximum: 1 } },
              source: \(source), store: { path: "\(store)" }, tracking: \(tracking) }
            """
        agent = Agent(
            configuration: try ConfigurationFile.parse(text, folder: self.folder.path), stopsAtEnd: stopsAtEnd,
            clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Waits for a problem while the clock goes on.
    /// - Parameter seconds: how far the clock goes on between two looks.
    func problem(_ code: String, advancing seconds: Double = 0) async throws -> Problem? {
        try await eventually {
            clock.advance(bySeconds: seconds)
            return await agent.currentProblems.first { $0.code == code }
        }
    }

    /// Waits until a problem is gone while the clock goes on.
    func isSettled(_ code: String, advancing seconds: Double = 0) async throws -> Bool {
        try await eventually {
            clock.advance(bySeconds: seconds)
            return await agent.currentProblems.contains { $0.code == code } ? nil : true
        } ?? false
    }

    /// How many records wait for the broker.
    func depth() async throws -> Int { try await agent.parts?.store.statistics().depth ?? 0 }
}
