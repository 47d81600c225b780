import Glibc
import OdographHarness
import OdographWire
import Testing

@Suite("Receipts under interruptions")
struct ReceiptLoopTests {
    /// How often something is interrupted: the broker, the recorder, or the database.
    private static let rounds = getenv("ODOGRAPH_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 8

    /// The numbers in the runs of a table, of the only epoch.
    private func numbers(in table: String, _ recorder: RecorderProcess) throws -> [ClosedRange<Int64>] {
        try recorder.file.rows("SELECT first, last FROM \(table) ORDER BY epoch, first").compactMap { row in
            guard let first = Int64(row[0]), let last = Int64(row[1]), first <= last else { return nil }
            return first...last
        }
    }

    /// Waits until the vehicle keeps no record any more.
    /// - Parameter backup: The file of the backups that make the records safe; nil if none are needed.
    private func drain(_ vehicle: VehicleDouble, _ recorder: RecorderProcess, backup: String?) async throws {
        let isEmpty = try await eventually { () -> Bool? in
            if let backup { try await recorder.backUp(to: backup) }
            return await vehicle.count == 0 ? true : nil
        }
        let count = await vehicle.count
        #expect(isEmpty != nil, "\(count) kept; \(recorder.child.errors)")
    }

    /// Waits until the database has a record that the vehicle makes now.
    private func waitForNews(_ vehicle: VehicleDouble, _ recorder: RecorderProcess) async throws {
        try await vehicle.make(1)
        let last = await vehicle.last
        let isStored = try await eventually {
            try numbers(in: "runs", recorder).contains { $0.contains(last) } ? true : nil
        }
        #expect(isStored != nil, "\(last): \(recorder.child.errors)")
    }

    @Test("With backups, kills of a broker without memory and of the recorder and restores lose no record")
    func restores() async throws {
        let broker = try await MosquittoBroker()
        let messages = try await Subscriber(
            port: broker.port, topics: ["fleet/acme/van-7/receipt/#", "fleet/acme/van-7/given_up"], id: "reference")
        let recorder = try await RecorderProcess(
            port: broker.port, keys: "receipt_interval: 1, backup: { required: true }")
        let backup = recorder.folder.file("backup.db")
        let vehicle = try VehicleDouble(port: broker.port)
        await vehicle.start()
        try await recorder.backUp(to: backup)
        var random = SplitMix64(seed: 5)
        for round in 0..<Self.rounds {
            try await vehicle.make(Int.random(in: 1...200, using: &random))
            if Bool.random(using: &random) { try await waitForNews(vehicle, recorder) }
            switch (round + Int.random(in: 0...1, using: &random)) % 5 {
            case 0:
                try await broker.stop(SIGKILL)
                try await vehicle.make(20)
                try await broker.start()
            case 1:
                try await recorder.kill()
                try await vehicle.make(20)
                try await recorder.start()
            case 2: try await recorder.backUp(to: backup)
            case 3: try await recorder.restart(with: backup)
            default: try await vehicle.giveUp(Int.random(in: 2...30, using: &random))
            }
        }
        try await drain(vehicle, recorder, backup: backup)
        try await recorder.restart(with: backup)
        try await waitForNews(vehicle, recorder)
        try await drain(vehicle, recorder, backup: backup)
        await vehicle.stop()
        #expect(try await recorder.stop() == .exited(0))
        let last = await vehicle.last
        #expect(try numbers(in: "covered", recorder) == [1...last])
        let stored = Dictionary(
            uniqueKeysWithValues: try recorder.file.rows("SELECT seq, payload FROM records").map { ($0[0], $0[1]) })
        // A given-up record can be stored too, if it was sent before.
        let payloads = await vehicle.payloads
        let givenUp = await vehicle.givenUp
        for number in 1...last where !givenUp.contains(number) {
            #expect(stored["\(number)"] == payloads[number], "\(number)")
        }
        #expect(await vehicle.reasons.isSubset(of: [.quota]))
        #expect(try recorder.file.rows("SELECT count(*) FROM conflicts") == [["0"]])
        #expect(try recorder.file.rows("SELECT count(*) FROM rejected") == [["0"]])
        #expect(messages.messages.contains { $0.topic == "fleet/acme/van-7/receipt/main" })
    }

    @Test("Without backups, a new empty database gets each number that the vehicle keeps, and the names of the others")
    func newDatabase() async throws {
        let broker = try await MosquittoBroker()
        let recorder = try await RecorderProcess(port: broker.port, keys: "receipt_interval: 1")
        let vehicle = try VehicleDouble(port: broker.port)
        await vehicle.start()
        for round in 0..<3 {
            try await vehicle.make(150)
            try await drain(vehicle, recorder, backup: nil)
            try await recorder.restart(with: nil)
            if round == 1 {
                // The broker loses the receipts too.
                try await broker.stop(SIGKILL)
                try await broker.start()
            }
            try await vehicle.make(10)
            try await drain(vehicle, recorder, backup: nil)
            let last = await vehicle.last
            let isCovered = try await eventually {
                try numbers(in: "covered", recorder) == [1...last] ? true : nil
            }
            let covered = try numbers(in: "covered", recorder)
            #expect(isCovered != nil, "\(covered) of \(last)")
        }
        #expect(await vehicle.reasons.isSubset(of: [.delivered]))
        await vehicle.stop()
        #expect(try await recorder.stop() == .exited(0))
    }
}
