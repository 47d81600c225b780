import OdographHarness
import OdographLink
import Testing

@Suite("The client's probes")
struct ProbeTests {
    @Test("Each probe is answered with a connection and during the wait for one")
    func answers() async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.backoffMinimumSeconds = 30
        configuration.backoffMaximumSeconds = 30
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        for count in 1...3 {
            recorder.client.probe()
            try await recorder.until("answer \(count)") { $0.answers == count }
        }
        try await broker.stop()
        try await recorder.until("the end of the connection") { !$0.failures.isEmpty }
        recorder.client.probe()
        try await recorder.until("an answer without a connection") { $0.answers == 4 }
        await recorder.client.stop()
    }
}
