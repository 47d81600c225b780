import Glibc
import OdographHarness
import OdographLink
import Testing

@Suite("The bytes that a connection has received")
struct ReceivedBytesTests {
    @Test("They are those of the newest connection, and count a message before it is handled")
    func received() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        recorder.client.subscribe(["fleet/#"])
        try await recorder.untilConnected()
        try await recorder.until("subscription") { $0.subscribed["fleet/#"] == .some(nil) }
        #expect((1..<1000).contains(recorder.client.receivedBytes))
        recorder.client.publish([
            OutgoingMessage(token: 1, topic: "fleet/a/location", payload: [UInt8](repeating: 120, count: 50_000))
        ])
        try await recorder.until("the message") { $0.messages.count == 1 }
        #expect(recorder.client.receivedBytes > 50_000)
        try await broker.stop(SIGKILL)
        try await broker.start()
        try await recorder.until("another connection") { $0.connected.count == 2 && $0.subscribed.count == 1 }
        let isNew = try await eventually { recorder.client.receivedBytes < 1000 ? true : nil }
        #expect(isNew == true)
        await recorder.client.stop()
    }
}
