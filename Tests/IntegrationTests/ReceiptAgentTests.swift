import Glibc
import OdographHarness
import Testing

@Suite("The agent and the recorder with receipts")
struct ReceiptAgentTests {
    private static func number(_ variable: String, _ usual: Int) -> Int {
        getenv(variable).flatMap { Int(String(cString: $0)) } ?? usual
    }

    private static let rounds = number("ODOGRAPH_KILL_ROUNDS", 8)
    private static let vehicleCount = number("ODOGRAPH_VEHICLES", 2)

    /// An agent, the link between it and the broker, and a copy of its disk.
    private final class Vehicle {
        let device: String
        let link: CuttableLink
        let image: TemporaryFolder
        private let folder: TemporaryFolder
        private(set) var agent: AgentProcess

        init(_ number: Int, port: UInt16, rounds: Int) throws {
            device = "van-\(number)"
            link = try CuttableLink(to: port)
            image = try TemporaryFolder()
            folder = try TemporaryFolder()
            try folder.write(Capture.rounds(rounds), to: "drive.jsonl")
            agent = try AgentProcess(folder: folder, configuration: Self.configuration(device, link.port))
        }

        private static func configuration(_ device: String, _ port: UInt16) -> String {
            AgentProcess.configuration(
                broker: port, device: device, source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }",
                tracking: """
                    { heartbeat_interval: 0, delivery: "receipt", delivery_keep: 0,
                      sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                    """)
        }

        /// Kills the agent and starts it again.
        /// - Parameter exchange: Runs between the two.
        func restart(_ exchange: () async throws -> Void = {}) async throws {
            try await agent.kill()
            try await exchange()
            agent = try AgentProcess(folder: folder, configuration: Self.configuration(device, link.port))
        }

        /// Makes a copy of the disk of the powered-off vehicle.
        func saveImage() async throws {
            try await restart { try await Self.copy(folder, to: image) }
        }

        /// Kills the agent and puts the copy of its disk back.
        func restoreImage() async throws {
            try await restart { try await Self.copy(image, to: folder) }
        }

        private static func copy(_ source: TemporaryFolder, to target: TemporaryFolder) async throws {
            try await ChildProcess.run("sh", ["-c", "rm -f \(target.path)/agent.db*"])
            try await ChildProcess.run("sh", ["-c", "cp -p \(source.path)/agent.db* \(target.path)/"])
        }
    }

    @Test(
        """
        After kills of all programs, cut links, restored backups and restored disks of vehicles, each number is \
        stored or given up
        """)
    func interrupted() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(
            port: broker.port, keys: "receipt_interval: 1, backup: { required: true }")
        let backup = recorder.folder.file("backup.db")
        try await recorder.backUp(to: backup)
        let vehicles = try (1...Self.vehicleCount).map {
            try Vehicle($0, port: broker.port, rounds: 120 + Self.rounds)
        }
        var random = SplitMix64(seed: 3)
        // The vehicles that got an earlier copy of their disk.
        var restored: Set<String> = []
        for round in 0..<Self.rounds {
            try await recorder.waitForFurther(Int.random(in: 1...40, using: &random))
            let vehicle = vehicles[Int.random(in: vehicles.indices, using: &random)]
            switch round % 8 {
            case 0: try await broker.interrupt(0)
            case 1:
                try await recorder.kill()
                try await recorder.start()
            case 2: try await recorder.backUp(to: backup)
            case 3: try await vehicle.restart()
            case 4: for vehicle in vehicles { vehicle.link.cut() }
            case 5: try await recorder.restart(with: backup)
            case 6: try await vehicles[round / 8 % vehicles.count].saveImage()
            default:
                let vehicle = vehicles[round / 8 % vehicles.count]
                try await vehicle.restoreImage()
                restored.insert(vehicle.device)
            }
        }
        try await recorder.waitForFurther(1)
        for vehicle in vehicles {
            try await BrokerOperator(port: broker.port).publish(
                #"{"tracking":{"enabled":false}}"#, to: "fleet/acme/\(vehicle.device)/config")
        }
        let isEmpty = try await eventually { () -> Bool? in
            try await recorder.backUp(to: backup)
            let off = try recorder.file.rows(
                "SELECT count(*) FROM vehicles WHERE reported ->> '$.tracking.enabled' = 0")
            guard off == [["\(vehicles.count)"]] else { return nil }
            for vehicle in vehicles {
                guard let depth = await vehicle.agent.depth(), depth == 0 else { return nil }
            }
            return true
        }
        for vehicle in vehicles {
            let depth = await vehicle.agent.depth() ?? -1
            #expect(isEmpty != nil, "\(depth): \(vehicle.agent.child.errors) \(recorder.child.errors)")
            #expect(try await vehicle.agent.stop() == .exited(0))
        }
        #expect(try await recorder.stop() == .exited(0))
        let file = recorder.file
        #expect(try file.rows("SELECT * FROM open_gaps") == [])
        #expect(try file.rows("SELECT * FROM covered WHERE first <> 1") == [])
        #expect(try file.rows("SELECT count(DISTINCT vehicle) FROM covered") == [["\(vehicles.count)"]])
        // Only a restored disk uses a number again. Its contents are kept apart.
        if restored.isEmpty { #expect(try file.rows("SELECT count(*) FROM conflicts") == [["0"]]) }
        #expect(try file.rows("SELECT count(*) FROM rejected") == [["0"]])
        // The backups have everything that the agents have deleted. A restored disk does not know what it published
        // since, so it names these numbers too.
        let reasons = restored.isEmpty ? ["never_assigned"] : ["never_assigned", "possibly_lost"]
        let givenUp = try file.rows(
            "SELECT device, reason, epoch, first, last FROM given_up JOIN vehicles ON vehicles.id = vehicle")
        #expect(givenUp.filter { !reasons.contains($0[1]) } == [])
        // Such a vehicle goes on in a new epoch, and the numbers are of one before. Epochs only grow. The time of
        // receipt does not tell the newest one: the backlog of the former epoch comes beside the new live records.
        let newest = try file.rows(
            "SELECT device, max(epoch) FROM vehicles JOIN records ON records.vehicle = vehicles.id GROUP BY device")
        let present = Dictionary(uniqueKeysWithValues: newest.map { ($0[0], $0[1]) })
        for entry in givenUp where entry[1] == "possibly_lost" {
            #expect(restored.contains(entry[0]) && present[entry[0]] != entry[2], "\(entry)")
        }
    }
}
