import Testing

@testable import OdographLink

@Suite("The queue of link events")
struct LinkEventsTests {
    private func message(bytes: Int) -> LinkEvent {
        .message(
            IncomingMessage(
                topic: "a", payload: [UInt8](repeating: 0, count: bytes), isRetained: false, qos: 1, userProperties: [])
        )
    }

    @Test("A message counts with its payload and 256 bytes, so that empty messages also fill the queue")
    func capacity() {
        let events = LinkEventStream(capacityBytes: 1000) {}
        for _ in 1...3 { events.yield(message(bytes: 0)) }
        #expect(!events.isFull)
        events.yield(message(bytes: 0))
        #expect(events.isFull)
        let large = LinkEventStream(capacityBytes: 1000) {}
        large.yield(message(bytes: 743))
        #expect(!large.isFull)
        large.yield(.probeAnswered)
        #expect(!large.isFull)
        large.yield(message(bytes: 0))
        #expect(large.isFull)
    }

    @Test(
        "By default a message is not retained, not bulk, and sent until it is acknowledged"
    )
    func defaults() {
        let message = OutgoingMessage(topic: "a", payload: [])
        #expect(!message.isRetained && !message.isBulk && message.qos == .atLeastOnce)
    }

    @Test("A client without a descriptor to wake its thread ends at its start, and gives the messages back")
    func noDescriptor() async throws {
        let client = MQTTClient(
            configuration: .test(port: 1), logger: silent, mailbox: Mailbox(waker: nil))
        let recorder = Recorder(client, start: false)
        client.publish([.text("a", "m", token: 7)])
        client.start()
        let seen = try await recorder.until("end") { $0.isFinished }
        #expect(seen.returned == [7])
        #expect(seen.failures == [.invalidSetting(detail: "the process has no free file descriptor")])
        await client.stop()
    }
}
