import OdographHarness
import Testing
import OdographThreads
import OdographWire

@testable import Odograph

@Suite("The effect of a new connection")
struct LinkEventRouterTests {
    @Test(
        "After a period without records a new connection records one position, also when it is lost repeatedly",
        .timeLimit(.minutes(5)))
    func flapping() async throws {
        let isOpen = Lock(false)
        let connections = Lock(0)
        let broker = try StubBroker { client in
            guard isOpen.withLock({ $0 }), let connect = client.next() else { return }
            client.send(.consent(to: connect))
            connections.withLock { $0 += 1 }
        }
        let vehicle = try ClockedAgent(broker: broker.port, source: "{ simulator: { parked: 86400 } }")
        try await vehicle.agent.start()
        // The vehicle is parked, and nothing is recorded for a minute.
        var depth = 0
        var silentSeconds = 0.0
        _ = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 1)
            let now = try await vehicle.depth()
            silentSeconds = now == depth ? silentSeconds + 1 : 0
            depth = now
            return now > 0 && silentSeconds > 60 ? true : nil
        }
        #expect(silentSeconds > 60)
        isOpen.withLock { $0 = true }
        // The clock does not advance, so no position arrives.
        let seen = connections.withLock { $0 }
        _ = try await eventually { connections.withLock { $0 >= seen + 5 ? true : nil } }
        depth = try await vehicle.depth()
        let answered = try await eventually { () -> Int? in
            vehicle.clock.advance(bySeconds: 1)
            let now = try await vehicle.depth()
            return now > depth ? now : nil
        }
        #expect(answered == depth + 1)
        await vehicle.agent.stop()
    }

    @Test("The first receipt in force is reported at once", .timeLimit(.minutes(5)))
    func firstReceipt() async throws {
        let broker = try await MosquittoBroker()
        let port = broker.port
        let vehicle = try ClockedAgent(
            broker: port, source: "{ simulator: { parked: 86400 } }", tracking: "{ delivery: 'receipt' }")
        try await vehicle.agent.start()
        func report() async throws -> ReportedMessage? {
            let topic = "fleet/acme/van-7/reported"
            let (_, output, _) = try await ChildProcess.run(
                "mosquitto_sub", ["-p", "\(port)", "-t", topic, "-C", "1", "-W", "5"])
            return try? ReportedMessage(message: Array(output.utf8))
        }
        let first = try await eventually { try await report() }
        #expect(first != nil && first?.receipts == nil)
        try await BrokerOperator(port: port).publish(
            #"{"database_id":"db","revision":1,"interval":600,"epochs":[]}"#, to: "fleet/acme/van-7/receipt/main")
        // Reports are a second apart. The check for changes without a notification comes after five minutes.
        var seconds = 0
        let receipts = try await eventually { () -> [ReportedReceipt]? in
            if seconds < 200 { vehicle.clock.advance(bySeconds: 1) }
            seconds += 1
            return try await report()?.receipts
        }
        #expect(receipts?.map(\.databaseID) == ["db"])
        await vehicle.agent.stop()
    }
}
