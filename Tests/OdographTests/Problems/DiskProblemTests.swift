import OdographCivilTime
import Glibc
import OdographHarness
import OdographJSON
import OdographStore
import Testing
import OdographWire

@testable import Odograph

@Suite("Problems with the disk")
struct DiskProblemTests {
    @Test(
        "An agent without a database reports a problem, and its positions still arrive",
        .timeLimit(.minutes(5)))
    func storeUnusable() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        // The control socket is beside the database, as usually.
        let vehicle = try ClockedAgent(
            broker: broker.port, store: "file/agent.db", control: "file/control.sock", in: folder)
        try await vehicle.agent.start()
        let problem = try await vehicle.problem(.storeUnusable)
        #expect(problem?.text.contains(folder.file("file")) == true, "\(String(describing: problem))")
        let isDelivered = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 1)
            let statistics = try await vehicle.agent.parts?.store.statistics()
            return statistics?.newestSeq ?? 0 > 3 && statistics?.depth == 0 ? true : nil
        }
        #expect(isDelivered != nil)
        // When the disk works again, the socket is there too.
        #expect(unlink(folder.file("file")) == 0 && mkdir(folder.file("file"), 0o700) == 0)
        let isThere = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 1)
            return access(folder.file("file/control.sock"), F_OK) == 0 ? true : nil
        }
        #expect(isThere != nil)
        await vehicle.agent.stop()
    }

    @Test("Without its control socket an agent with a database does not start")
    func socketUnusable() async throws {
        let broker = try await MosquittoBroker()
        let vehicle = try ClockedAgent(broker: broker.port, control: "none/control.sock")
        await #expect(throws: ControlError.self) { try await vehicle.agent.start() }
    }

    @Test(
        "A configuration that cannot be saved on a full disk applies, and is a problem until one is saved",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"), .timeLimit(.minutes(5)))
    func configurationNotSaved() async throws {
        let disk = try SmallFileSystem(bytes: 4 << 20)
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        // The vehicle is parked, so that no record needs space on the disk.
        let vehicle = try ClockedAgent(
            broker: broker.port, source: "{ simulator: { parked: 86400 } }", in: disk.folder)
        try await vehicle.agent.start()
        disk.fill()
        // The first few fit into the reserved space of the write-ahead log.
        let padding = String(repeating: "x", count: 240_000)
        for number in 1...30 {
            try await desk.publish(
                "{ tracking: { extras: { number: \(number) } } } // \(padding)", to: "fleet/acme/van-7/config")
            let taken = try await eventually { () -> Int? in
                vehicle.clock.advance(bySeconds: 1)
                return await vehicle.number == number ? number : nil
            }
            try #require(taken == number)
            if await vehicle.agent.currentProblems.contains(where: { $0.code == .configurationNotSaved }) { break }
        }
        let problem = try await vehicle.problem(.configurationNotSaved)
        #expect(problem?.text.contains("space") == true, "\(String(describing: problem))")
        let newest = try #require(await vehicle.number)
        disk.release()
        // No further document comes.
        #expect(try await vehicle.isSettled(.configurationNotSaved, advancing: 1))
        await vehicle.agent.stop()
        let store = try await AgentStore.open(at: disk.folder.file("agent.db"), now: .now).store
        let saved = String(decoding: try await store.document("configuration:device") ?? [], as: UTF8.self)
        #expect(saved.contains("number: \(newest) "), "\(saved.prefix(80))")
        try await store.close()
    }

    @Test("Geofences that cannot be saved apply, and are a problem until they are saved", .timeLimit(.minutes(5)))
    func geofencesNotSaved() async throws {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let vehicle = try ClockedAgent(broker: broker.port)
        // An empty file occupies the path of the geofence folder.
        let obstacle = vehicle.folder.file("agent.db-geofences")
        try vehicle.folder.write("", to: "agent.db-geofences")
        try await vehicle.agent.start()
        try await desk.publish(Self.fences, to: "fleet/acme/van-7/geofences")
        let problem = try await vehicle.problem(.geofencesNotSaved)
        #expect(problem?.text.contains(obstacle) == true, "\(String(describing: problem))")
        let isInForce = try await eventually { await vehicle.agent.parts?.geofences.report.count == 1 ? true : nil }
        #expect(isInForce != nil)
        unlink(obstacle)
        // No further document comes.
        #expect(try await vehicle.isSettled(.geofencesNotSaved, advancing: 1))
        #expect(access(obstacle + "/manifest.json", R_OK) == 0)
        await vehicle.agent.stop()
    }

    private static let fences =
        #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"depot","properties":{"radius":50},"#
        + #""geometry":{"type":"Point","coordinates":[-3.7,40.4]}}]}"#
}

extension ClockedAgent {
    /// The value of `tracking.extras.number` in the active configuration.
    fileprivate var number: Int? {
        get async {
            guard case .integer(let number)? = await agent.parts?.pipeline.settings.extras["number"] else { return nil }
            return Int(number)
        }
    }
}
