import Glibc
import Odograph
import OdographHarness
import OdographOperator
import OdographWire
import Testing

/// Disks that are put back while their vehicles go on, and clones that run beside their originals.
@Suite("Disks that come back, and their copies")
struct RestoredDiskTests {
    /// The number of rounds of each vehicle; the long run sets `ODOGRAPH_RESTORE_ROUNDS` to 6.
    private static let rounds = getenv("ODOGRAPH_RESTORE_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 2
    /// The number of vehicles; the long run sets `ODOGRAPH_RESTORE_VEHICLES` to 10.
    private static let vehicles = getenv("ODOGRAPH_RESTORE_VEHICLES").flatMap { Int(String(cString: $0)) } ?? 2

    private static func configuration(_ port: UInt16, _ vehicle: Int) -> String {
        AgentProcess.configuration(
            broker: port, device: "van-\(vehicle)", source: "{ simulator: { parked: 0, speed: 100 } }",
            tracking: """
                { encoding: "\(vehicle % 2 == 0 ? "compact" : "plain")", batch_interval: 1,
                  sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
    }

    /// Waits until an agent has stored further records.
    private static func drive(_ agent: AgentProcess, _ further: Int64) async throws {
        let socket = LocalAgent(configuration: nil, socketPath: agent.folder.file("control.sock"))
        var seen: Set<[Int64]> = []
        let isDone = try await eventually { () -> Bool? in
            guard case .running(let status, _)? = try? await socket.status() else { return nil }
            seen.insert([status.store.epoch, status.store.seq])
            let spans = Dictionary(grouping: seen, by: { $0[0] }).values.map { spans in
                (spans.map { $0[1] }.max() ?? 0) - (spans.map { $0[1] }.min() ?? 0)
            }
            return spans.reduce(0, +) >= further ? true : nil
        }
        guard isDone != nil else { throw HarnessError("\(further) records did not come: \(agent.child.errors)") }
    }

    private static func copy(_ folder: TemporaryFolder, to other: TemporaryFolder) async throws {
        try await ChildProcess.run(
            "sh", ["-c", "rm -f \(other.path)/agent.db*; cp -p \(folder.path)/agent.db* \(other.path)/"])
    }

    /// Ends the recorder, and expects that no number had two contents.
    private static func expectOneContent(_ recorder: RecorderProcess) async throws {
        #expect(try await recorder.stop() == .exited(0))
        let twice = try recorder.file.rows("SELECT DISTINCT vehicle, epoch, seq FROM conflicts ORDER BY 1, 2, 3")
        let numbers = try recorder.file.rows("SELECT count(*), count(DISTINCT epoch) FROM records")
        #expect(twice.isEmpty, "\(twice.count) numbers have two contents: \(twice.prefix(9))")
        print("restored disks and clones: \(numbers) numbers and epochs, \(twice.count) with two contents")
    }

    @Test("No number has two contents although disks are put back to an earlier state again and again")
    func restored() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(port: broker.port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for vehicle in 0..<Self.vehicles {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(vehicle))
                    let (folder, earlier) = (try TemporaryFolder(), try TemporaryFolder())
                    let configuration = Self.configuration(broker.port, vehicle)
                    var agent = try AgentProcess(folder: folder, configuration: configuration)
                    for round in 0..<Self.rounds {
                        try await Self.drive(agent, Int64.random(in: 20...300, using: &random))
                        if round % 3 == 2 { _ = try await agent.stop() }
                        try await Self.copy(folder, to: earlier)
                        if round % 3 == 2 { agent = try AgentProcess(folder: folder, configuration: configuration) }
                        // Often beyond the numbers that were reserved at the time of the copy.
                        try await Self.drive(agent, Int64.random(in: 20...500, using: &random))
                        if round % 2 == 0 { try await agent.kill() } else { _ = try await agent.stop() }
                        try await Self.copy(earlier, to: folder)
                        agent = try AgentProcess(folder: folder, configuration: configuration)
                    }
                    try await Self.drive(agent, 300)
                    #expect(try await agent.stop() == .exited(0))
                }
            }
            try await group.waitForAll()
        }
        try await Self.expectOneContent(recorder)
    }

    @Test("No number has two contents although clones run beside their original, several on one day")
    func clones() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(port: broker.port)
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(broker.port, 1)
        // The machine that begins a new epoch says so: mostly the clone, in a status that the next one replaces.
        let statuses = try await Subscriber(
            port: broker.port, topics: ["fleet/acme/van-1/status"], id: "statuses")
        var original = try AgentProcess(folder: folder, configuration: configuration)
        for round in 0..<Self.rounds {
            try await Self.drive(original, 100)
            let copy = try TemporaryFolder()
            if round % 2 == 0 {
                try await Self.copy(folder, to: copy)
            } else {
                // The machine is off: both then begin with one announcement.
                #expect(try await original.stop() == .exited(0))
                try await Self.copy(folder, to: copy)
                original = try AgentProcess(folder: folder, configuration: configuration)
                try await Self.drive(original, 20)
            }
            let clone = try AgentProcess(folder: copy, configuration: configuration)
            try await Self.drive(clone, 300)
            try await Self.drive(original, 300)
            #expect(try await clone.stop() == .exited(0))
        }
        #expect(
            statuses.messages.contains { $0.payload.contains("store_inconsistent") }, "\(original.child.errors)")
        #expect(try await original.stop() == .exited(0))
        try await Self.expectOneContent(recorder)
    }

    @Test("A retained message that is not readable, or says the greatest epoch, uses up no epochs")
    func hostile() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(port: broker.port)
        let folder = try TemporaryFolder()
        let desk = BrokerOperator(port: broker.port)
        for text in ["x", #"{"device_id":"van-1","epoch":9007199254740991,"through":9,"id":"0123456789abcdef"}"#] {
            try await desk.publish(text, to: "fleet/acme/van-1/numbers")
            let agent = try AgentProcess(folder: folder, configuration: Self.configuration(broker.port, 1))
            try await Self.drive(agent, 30)
            try await recorder.waitForFurther(1)
            #expect(try await agent.stop() == .exited(0))
        }
        #expect(try recorder.file.rows("SELECT count(DISTINCT epoch) FROM records") == [["1"]])
        #expect(try await recorder.stop() == .exited(0))
    }
}
