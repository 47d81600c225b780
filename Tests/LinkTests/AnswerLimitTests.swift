import Glibc
import OdographHarness
import Testing

@testable import OdographLink

@Suite("The limit of the wait for an answer")
struct AnswerLimitTests {
    /// Returns when a wait that began at 1000 ends, with a limit of 3000 ms, if the connection has moved these bytes by
    /// each look; the last value holds on.
    private func end(moved: [Int64]) -> Int64 {
        var limit = AnswerLimit(milliseconds: 3000)
        var looks = moved[...]
        while true {
            let now = limit.dueMilliseconds(awaitedSince: 1000)
            let bytes = looks.count > 1 ? looks.removeFirst() : looks[looks.startIndex]
            if limit.isOver(awaitedSince: 1000, at: now, movedBytes: bytes) { return now }
        }
    }

    @Test(
        "It goes on for as long as the network moves data, up to 20 times as long",
        arguments: [
            ([0], 4000), ([700, 1211], 4000), ([700, 1212, 1212], 5000), ([0, 512, 1024, 1100], 6000),
        ] as [([Int64], Int64)])
    func ends(moved: [Int64], expected: Int64) {
        #expect(end(moved: moved) == expected)
    }

    @Test("It ends although data moves without an end, and each wait has its own limit")
    func longest() {
        #expect(end(moved: (0..<100).map { $0 * 10_000 }) == 61_000)
        var limit = AnswerLimit(milliseconds: 3000)
        let isOver = limit.isOver(awaitedSince: 1000, at: 3000, movedBytes: 0)
        #expect(!isOver && limit.dueMilliseconds(awaitedSince: 1000) == 4000)
        #expect(limit.dueMilliseconds(awaitedSince: 4500) == 6500)
    }

    @Test("An answer that a later one has overtaken does not wait for data")
    func overtaken() {
        var subscriptions = PendingSubscriptions()
        var messages = InFlightMessages(maximum: 10)
        #expect(!subscriptions.isOvertaken(by: messages.newestAnsweredMilliseconds))
        messages.insert(1, token: 1, nowMilliseconds: 100)
        subscriptions.insert(2, filter: "a", nowMilliseconds: 200)
        messages.insert(3, token: 3, nowMilliseconds: 300)
        _ = messages.acknowledge(1, nowMilliseconds: 400)
        #expect(!subscriptions.isOvertaken(by: messages.newestAnsweredMilliseconds))
        _ = messages.acknowledge(3, nowMilliseconds: 400)
        #expect(subscriptions.isOvertaken(by: messages.newestAnsweredMilliseconds))
        _ = subscriptions.acknowledge(2, nowMilliseconds: 500)
        #expect(!subscriptions.isOvertaken(by: messages.newestAnsweredMilliseconds))
    }

    private static func client(_ port: UInt16, limitSeconds: Double) -> Recorder {
        var configuration = LinkConfiguration.test(port: port)
        configuration.protocolPreference = .v5
        configuration.acknowledgementTimeoutSeconds = limitSeconds
        return Recorder(MQTTClient(configuration: configuration, logger: silent))
    }

    @Test("An answer behind a long message on a slow network comes in time")
    func behindMessage() async throws {
        let broker = try StubBroker { client in
            client.serve { packet in
                guard packet.type == 8 else { return true }
                // A retained message at QoS 0 with 40,000 bytes, which takes 6 s.
                client.send([0x30, 0xC4, 0xB8, 0x02, 0, 1, 0x61, 0])
                for _ in 0..<40 {
                    usleep(150_000)
                    client.send([UInt8](repeating: 0x20, count: 1000))
                }
                return true
            }
        }
        let recorder = Self.client(broker.port, limitSeconds: 1.5)
        recorder.client.subscribe(["a"])
        let seen = try await recorder.until("the grant") { $0.subscribed["a"] != nil }
        #expect(seen.failures.isEmpty && seen.messages.map(\.payload.count) == [40_000])
        await recorder.client.stop()
    }

    @Test("The acknowledgement of a long message on a slow network comes in time")
    func ofMessage() async throws {
        let broker = try StubBroker { client in
            // The socket's own buffer does not take the message.
            client.limitReceiveBuffer(bytes: 65_536)
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            guard let packet = client.next(pausing: { if $0.isMultiple(of: 100_000) { usleep(150_000) } }) else {
                return
            }
            client.send([0x40, 2] + packet.identifier)
            while client.next() != nil {}
        }
        let recorder = Self.client(broker.port, limitSeconds: 3)
        try await recorder.untilConnected()
        recorder.client.publish([
            OutgoingMessage(token: 1, topic: "a", payload: [UInt8](repeating: 0x20, count: 4 << 20))
        ])
        let seen = try await recorder.until("the acknowledgement") { $0.acknowledged == [1] || !$0.failures.isEmpty }
        #expect(seen.failures.isEmpty)
        await recorder.client.stop()
    }
}
