import Glibc
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("An agent that is killed")
struct KillTests {
    /// The number of kills in each mode; the long run sets `ODOGRAPH_KILL_ROUNDS` to 1000.
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 4
    private static let maximumInFlight = 50
    /// The timeout for the last agent to replay the rest of the drive at 100 times its speed, in seconds.
    private static let patienceSeconds = Double(60 + 3 * rounds)

    @Test(
        "It loses nothing, repeats at most the maximum in flight after each kill, and publishes the same records",
        arguments: ["full", "normal"])
    func killed(synchronous: String) async throws {
        let seconds = 200 * Self.rounds
        let folder = try TemporaryFolder()
        try folder.write(Capture.drive(seconds: seconds), to: "drive.jsonl")
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let configuration = Self.configuration(port: broker.port, speed: "100", synchronous: synchronous)
        var random = SplitMix64(seed: 2026)
        var interruptions = 0
        for round in 0..<Self.rounds {
            let agent = try AgentProcess(folder: folder, configuration: configuration)
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1500, using: &random)))
            if round % 3 == 1 {
                try await broker.stop(SIGTERM)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &random)))
                try await agent.kill()
                try await broker.start()
                interruptions += 1
            } else {
                try await agent.kill()
            }
            interruptions += 1
            #expect(!agent.child.errors.contains(" error "), "\(agent.child.errors)")
        }
        let last = try AgentProcess(folder: folder, configuration: configuration)
        let end = try await eventually(within: Self.patienceSeconds) {
            last.child.errors.contains("has ended") ? true : nil
        }
        #expect(end != nil, "\(last.child.errors)")
        let isComplete = try await eventually(within: Self.patienceSeconds) {
            try subscriber.hasAll(atLeast: seconds - 10) ? true : nil
        }
        #expect(isComplete != nil, "\(last.child.errors)")
        _ = try await last.stop()
        let told = try subscriber.records()
        // Without a reboot a kill is no power cut, which can lose committed records. About one kill in a thousand
        // happens between the two writes of a WAL frame, which can look like a damaged log.
        let ledger = try subscriber.ledger()
        #expect(ledger.allSatisfy { [.neverAssigned, .possiblyLost].contains($0.reason) }, "\(ledger)")
        #expect(ledger.contains { $0.reason == .neverAssigned }, "\(ledger)")
        #expect(told.count - Set(told.compactMap { $0.members["uuid"] }).count <= Self.maximumInFlight * interruptions)
        #expect(Set(told.map { $0.members["epoch"] }).count == 1)
        let count = Set(told.map(\.seq)).count
        #expect(Self.story(told) == Self.story(try await lived(folder, records: count)))
    }

    /// Returns the records of an agent that is not killed on the same drive, when as many as these have arrived.
    private func lived(_ source: TemporaryFolder, records count: Int) async throws -> [Subscriber.Record] {
        let folder = try TemporaryFolder()
        try folder.write(try source.read("drive.jsonl"), to: "drive.jsonl")
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try AgentProcess(
            folder: folder, configuration: Self.configuration(port: broker.port, speed: "\"max\""))
        _ = try await eventually(within: Self.patienceSeconds) { agent.child.errors.contains("has ended") ? true : nil }
        _ = try await eventually(within: Self.patienceSeconds) { try subscriber.hasAll(atLeast: count) ? true : nil }
        _ = try await agent.stop()
        return try subscriber.records()
    }

    /// Returns the contents of the records in the order of their numbers, without the members that differ between
    /// databases. A killed agent leaves gaps in the numbers.
    private static func story(_ records: [Subscriber.Record]) -> [[String: JSONValue]] {
        var bySeq: [Int64: [String: JSONValue]] = [:]
        for record in records {
            var members = record.members
            for key in ["uuid", "epoch", "seq", "event_id"] { members[key] = nil }
            bySeq[record.seq ?? 0] = members
        }
        return bySeq.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func configuration(port: UInt16, speed: String, synchronous: String = "full") -> String {
        """
        { fleet: "acme", device: "van-7",
          broker: { url: "mqtt://127.0.0.1:\(port)", maximum_in_flight: \(maximumInFlight),
            reconnect: { minimum: 0.1, maximum: 1 } },
          source: { replay: { file: "drive.jsonl", speed: \(speed) } },
          store: { path: "agent.db", synchronous: "\(synchronous)" }, tracking: \(AgentProcess.everyFix) }
        """
    }
}
