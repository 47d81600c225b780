import Glibc
import OdographHarness
import OdographPostgreSQL
import OdographWire
import Testing

@Suite("A fleet under interruptions")
struct FleetLoopTests {
    /// The broker of the vehicles and the recorder, and the database of the recorder.
    enum Scene: String, CaseIterable, CustomTestStringConvertible {
        case mosquitto, postgreSQL, nats, rabbitMQ

        var testDescription: String { rawValue }

        var broker: BrokerKind {
            switch self {
            case .mosquitto, .postgreSQL: .mosquitto
            case .nats: .natsCluster
            case .rabbitMQ: .rabbitMQ
            }
        }

        /// The scenes of this run. Usually those that take less than a minute on a small machine: RabbitMQ needs a
        /// minute for each start, and a cluster of NATS as much to deliver again what its killed server had not.
        static let chosen: [Scene] =
            getenv("ODOGRAPH_SCENES").map { names in
                String(cString: names).split(separator: ",").compactMap { Scene(rawValue: String($0)) }
            } ?? [.mosquitto, .postgreSQL]
    }

    /// The databases of the recorder.
    private enum Database {
        case file(backup: String)
        case server(PostgreSQLServer)
    }

    private static func number(_ variable: String, _ usual: Int) -> Int {
        getenv(variable).flatMap { Int(String(cString: $0)) } ?? usual
    }

    /// How often something is interrupted.
    private static let rounds = number("ODOGRAPH_KILL_ROUNDS", 6)
    private static let vehicleCount = number("ODOGRAPH_VEHICLES", 5)

    /// Returns the rows of a query, in either database.
    private func rows(_ sql: String, _ recorder: RecorderProcess, _ database: Database) throws -> [[String]] {
        guard case .server(let server) = database else { return try recorder.file.rows(sql) }
        let connection = try PostgreSQLConnection(name: "test", settings: [("dbname", server.address())])
        try connection.execute("SET search_path = odograph")
        let result = try connection.prepare(sql).run([])
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { result.text(row: row, column: $0) ?? "NULL" }
        }
    }

    private func interrupt(
        _ broker: any InterruptibleBroker, _ recorder: RecorderProcess, _ database: Database,
        using random: inout SplitMix64
    ) async throws {
        switch (Int.random(in: 0..<4, using: &random), database) {
        case (0, _), (1, _): try await broker.interrupt(Int.random(in: broker.ports.indices, using: &random))
        case (2, _):
            try await recorder.kill()
            try await recorder.start()
        case (_, .file(let backup)): try await recorder.restart(with: backup)
        case (_, .server(let server)):
            try await server.kill()
            try await server.start()
        }
    }

    @Test(
        "After kills of broker, recorder and database, each number of each vehicle is stored or given up",
        arguments: Scene.chosen)
    func loop(scene: Scene) async throws {
        let broker = try await scene.broker.start()
        let server = scene == .postgreSQL ? try await PostgreSQLServer() : nil
        let recorder = try await RecorderProcess(
            port: broker.ports[0], database: server.map { "url: \"\($0.address())\"" } ?? "path: \"recorder.db\"",
            keys: "receipt_interval: 1, backup: { required: \(server == nil) }")
        let backup = recorder.folder.file("backup.db")
        let database = server.map { Database.server($0) } ?? .file(backup: backup)
        if server == nil { try await recorder.backUp(to: backup) }
        let vehicles = try (1...Self.vehicleCount).map {
            try VehicleDouble(port: broker.ports[$0 % broker.ports.count], device: "van-\($0)")
        }
        for vehicle in vehicles { await vehicle.start() }
        var random = SplitMix64(seed: 11)
        for round in 0..<Self.rounds {
            for vehicle in vehicles { try await vehicle.make(Int.random(in: 1...40, using: &random)) }
            try await interrupt(broker, recorder, database, using: &random)
            for vehicle in vehicles { try await vehicle.make(Int.random(in: 0...10, using: &random)) }
            if round % 3 == 0, let vehicle = vehicles.randomElement(using: &random) {
                try await vehicle.giveUp(Int.random(in: 2...15, using: &random))
            }
            if round % 4 == 3, server == nil { try await recorder.backUp(to: backup) }
        }
        let isEmpty = try await eventually(within: 900) { () -> Bool? in
            if server == nil { try await recorder.backUp(to: backup) }
            for vehicle in vehicles where await vehicle.count > 0 { return nil }
            return true
        }
        var kept: [Int] = []
        for vehicle in vehicles { kept.append(await vehicle.count) }
        #expect(isEmpty != nil, "kept: \(kept); \(recorder.child.errors.suffix(2000))")
        for vehicle in vehicles { await vehicle.stop() }
        #expect(try await recorder.stop() == .exited(0))
        try await check(vehicles, recorder, database)
    }

    private func check(_ vehicles: [VehicleDouble], _ recorder: RecorderProcess, _ database: Database) async throws {
        for (index, vehicle) in vehicles.enumerated() {
            let place = "vehicle = (SELECT id FROM vehicles WHERE device = 'van-\(index + 1)')"
            let last = await vehicle.last
            let covered = try rows("SELECT first, last FROM covered WHERE \(place)", recorder, database)
            #expect(covered == [["1", "\(last)"]], "van-\(index + 1)")
            let stored = try rows("SELECT seq, payload FROM records WHERE \(place)", recorder, database)
            let payloads = await vehicle.payloads
            let givenUp = await vehicle.givenUp
            // No number twice.
            #expect(Set(stored.map { $0[0] }).count == stored.count)
            let contents = Dictionary(stored.map { ($0[0], $0[1]) }) { first, _ in first }
            let wrong = (1...last).filter { !givenUp.contains($0) && contents["\($0)"] != payloads[$0] }
            #expect(wrong == [], "van-\(index + 1)")
            #expect(await vehicle.reasons.isSubset(of: [.quota]))
        }
        #expect(try rows("SELECT count(*) FROM conflicts", recorder, database) == [["0"]])
        #expect(try rows("SELECT count(*) FROM rejected", recorder, database) == [["0"]])
        #expect(try rows("SELECT count(*) FROM open_gaps", recorder, database) == [["0"]])
    }
}
