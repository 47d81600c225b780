import Testing

@testable import Link

@Suite("Events that wait for their consumer")
struct LinkEventsTests {
    private func message(bytes: Int) -> LinkEvent {
        .message(
            IncomingMessage(
                topic: "a", payload: [UInt8](repeating: 0, count: bytes), isRetained: false, qos: 1, userProperties: [])
        )
    }

    @Test("A message counts with its payload and 256 bytes more, so that many empty messages fill the queue too")
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
        "What is published is not retained, not bulk, and sent until it is acknowledged, unless the caller says otherwise"
    )
    func defaults() {
        let message = OutgoingMessage(topic: "a", payload: [])
        #expect(!message.isRetained && !message.isBulk && message.qos == .atLeastOnce)
    }
}
