import Glibc
import OdographCivilTime
import OdographHarness
import Testing
import OdographWire

@Suite("New rules of a time zone")
struct NewZoneRulesTests {
    private let folder: ZoneFolder

    init() throws {
        folder = try .homeAndAway()
    }

    /// The hours of the schedule's next changes in a report, UTC.
    private static func hours(_ report: ReportedMessage) -> Set<Substring> {
        Set(report.nextScheduleChanges.prefix(2).map { $0.at.iso8601.dropFirst(11).prefix(2) })
    }

    @Test(
        "They count while the agent runs, for the zone that the file names and for the machine's",
        arguments: [true, false])
    func running(isNamed: Bool) async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let tracking =
            "{ schedule: \"* 7-16 * * *\", \(isNamed ? "time_zone: \"Home\", " : "") off_schedule: { mode: \"tag\" } }"
        let configuration = AgentProcess.configuration(
            broker: broker.port, source: "{ simulator: { parked: 0 } }", tracking: tracking)
        let agent = try AgentProcess(
            folder: TemporaryFolder(), configuration: configuration,
            environment: ["TZDIR": folder.folder.path, "TZ": folder.folder.file("Home")])
        // The simulated receiver makes the time known.
        let first = try await eventually { try subscriber.reports().last { !$0.nextScheduleChanges.isEmpty } }
        #expect(first.map(Self.hours) == ["22", "08"], "\(agent.child.errors)")
        try folder.install("Europe/London", as: "Home")
        let second = try await eventually {
            try subscriber.reports().last { !Self.hours($0).isSubset(of: ["22", "08"]) }
        }
        #expect([["07", "17"], ["06", "16"]].contains(second.map(Self.hours)), "\(agent.child.errors)")
        #expect(try await agent.stop() == .exited(0))
    }
}
