import OdographCivilTime
import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographJSON
import OdographOperator
import Testing
import OdographWire

@Suite("The published timeline")
struct TimelineTests {
    @Test(
        "Revisions arrive in order, late ones as backlog, the newest is retained, and queries return the same")
    func published() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        // Three minutes: the drive must not end before the broker is away.
        let agent = try AgentProcess.replaying(Capture.rounds(120), speed: 400, to: broker, tracking: "{}")
        _ = try await eventually { try subscriber.revisions().count > 8 ? true : nil }
        try await broker.stop(SIGTERM)
        try await agent.waitForDepth(3)
        try await broker.start()
        try await agent.turnOff(port: broker.port, subscriber, finalEvents: 10, records: 10)
        let connection = ControlSocketClient(path: agent.folder.file("control.sock"))

        let revisions = try subscriber.revisions()
        // Revisions that are repeated after the outage are skipped.
        var known: Set<Int64> = []
        let inOrder = revisions.map(\.event).filter { known.insert($0.seq ?? 0).inserted }
        #expect(zip(inOrder, inOrder.dropFirst()).allSatisfy { $0.seq ?? 0 < $1.seq ?? 0 })
        #expect(zip(inOrder, inOrder.dropFirst()).allSatisfy { $0.lastUpdateDate <= $1.lastUpdateDate })
        #expect(revisions.contains { $0.topic.hasSuffix("/timeline/backlog") })
        for event in Dictionary(grouping: inOrder, by: \.eventID).values {
            #expect(event.map(\.revision) == Array(1...event.count))
            #expect(event.dropLast().allSatisfy { $0.isProvisional })
        }
        let latest = Dictionary(inOrder.map { ($0.eventID, $0) }) { $1 }.values
        let newest = latest.filter { $0.withdrawn != true }.sorted { $0.startDate < $1.startDate }
        #expect(newest.count >= 10 && newest.dropLast(2).allSatisfy { !$0.isProvisional })
        #expect(zip(newest, newest.dropFirst()).allSatisfy { $0.endDate == $1.startDate })

        #expect(try connection.events(.getTimeline, limit: 1000) == newest)
        let byUpdate = latest.sorted { $0.lastUpdateDate < $1.lastUpdateDate }
        #expect(try connection.events(.getTimelineUpdates, after: "1970-01-01T00:00:00Z", limit: 1000) == byUpdate)
        #expect(
            try connection.events(.getTimelineUpdates, after: byUpdate[3].lastUpdateDate.iso8601, limit: 2)
                == Array(byUpdate[4...5]))
        try await retained(broker, newestLive: revisions.last { $0.topic.hasSuffix("/timeline") }?.event)
        try await commandLine(agent, newest)
    }

    private func retained(_ broker: MosquittoBroker, newestLive: TimelineEventRevision?) async throws {
        let (_, output, _) = try await ChildProcess.run(
            "mosquitto_sub",
            [
                "-p", "\(broker.port)", "-t", "fleet/acme/van-7/timeline", "-t", "fleet/acme/van-7/timeline/backlog",
                "-F",
                "%r %t %p", "-C", "1", "-W", "60",
            ])
        let prefix = "1 fleet/acme/van-7/timeline "
        #expect(output.hasPrefix(prefix))
        let message = try JSONDecoder().decode(
            TimelineMessage.self, from: Data(output.dropFirst(prefix.count).utf8))
        #expect(message.timelineEvent == newestLive)
    }

    /// Queries the running agent, and then its database.
    private func commandLine(
        _ agent: AgentProcess, _ events: [TimelineEventRevision]
    ) async throws {
        let arguments = ["timeline", "--config", agent.folder.file("agent.json5"), "--time-zone", "UTC"]
        for isRunning in [true, false] {
            if !isRunning { #expect(try await agent.stop() == .exited(0)) }
            let (ending, output, errors) = try await ChildProcess.run(
                AgentProcess.executable, arguments + ["--from", "2026-11-20", "--json"])
            #expect(ending == .exited(0), "\(errors)")
            let answer = try output.split(separator: "\n").map {
                try JSONDecoder().decode(TimelineEventRevision.self, from: Data($0.utf8))
            }
            #expect(answer == events)
            let table = try await ChildProcess.run(
                AgentProcess.executable, arguments + ["--from", "2026-11-20 08:00", "--to", "2026-11-20 08:30"])
            #expect(table.output.contains("2026-11-20 |") && table.output.contains("stationary"))
            #expect(!table.output.contains("\u{1B}"))
        }
    }

    @Test(
        "An invalid query of the timeline is answered with a remedy",
        arguments: [
            (["from": "yesterday"], "must be a time"),
            (["from": "2026-11-21T09:00:00Z", "to": "2026-11-20T09:00:00Z"], "later"),
            ([:], "needs \"after\""),
        ])
    func wrong(times: [String: String], hint: String) async throws {
        let folder = try TemporaryFolder()
        let agent = try AgentProcess(
            folder: folder,
            configuration: AgentProcess.configuration(
                broker: try FreePort.next(), source: "{ simulator: { seed: 5 } }"))
        let connection = ControlSocketClient(path: folder.file("control.sock"))
        _ = try await eventually {
            try UnixSocketAddress(folder.file("control.sock")).hasListener ? true : nil
        }
        let response = try connection.perform(
            CommandRequest(
                id: "t", action: times.isEmpty ? .getTimelineUpdates : .getTimeline,
                parameters: times.mapValues { .string($0) }))
        #expect(response.error?.contains(hint) == true, "\(response)")
        withExtendedLifetime(agent) {}
    }
}

extension Subscriber {
    /// Returns the revisions so far, each with its topic.
    func revisions() throws -> [(topic: String, event: TimelineEventRevision)] {
        try messages.filter { $0.topic.contains("/timeline") }.map {
            ($0.topic, try JSONDecoder().decode(TimelineMessage.self, from: Data($0.payload.utf8)).timelineEvent)
        }
    }
}

extension ControlSocketClient {
    fileprivate func events(
        _ action: CommandRequest.Action, after: String? = nil, limit: Int64
    ) throws -> [TimelineEventRevision] {
        var parameters: [String: JSONValue] = ["limit": .integer(limit)]
        parameters["after"] = after.map { .string($0) }
        let response = try perform(CommandRequest(id: "t", action: action, parameters: parameters))
        let events = response.members["timeline_events"] ?? .null
        return try JSONDecoder().decode([TimelineEventRevision].self, from: JSONEncoder().encode(events))
    }
}
