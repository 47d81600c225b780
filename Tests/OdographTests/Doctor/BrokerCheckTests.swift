import OdographHarness
import Testing

@testable import Odograph
@testable import OdographOperator

@Suite("The doctor's findings about a broker")
struct BrokerCheckTests {
    private func finding(_ script: @escaping @Sendable (StubBroker.Client) -> Void) async throws -> Finding {
        let broker = try StubBroker(script)
        let configuration = try ConfigurationFile.parse(
            #"{ fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\#(broker.port)", protocol: "5" } }"#,
            folder: "")
        let noAgent = ControlError(.noAgent, description: "none")
        return await BrokerCheck(configuration, waitSeconds: 10).finding(agent: .failure(noAgent))
    }

    @Test("A working broker is ok")
    func serves() async throws {
        let finding = try await finding { $0.serve() }
        #expect(finding.level == .ok && finding.text.contains("connected within"))
    }

    @Test("While the service does not run its credentials are missing, and the broker is not asked")
    func stoppedService() async throws {
        var configuration = try ConfigurationFile.parse(
            #"{ fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1", username: "van-7" } }"#, folder: "")
        configuration.broker.credentialsFolder = "/run/credentials/odograph-of-a-test.service"
        let noAgent = ControlError(.noAgent, description: "none")
        let finding = await BrokerCheck(configuration, waitSeconds: 10).finding(agent: .failure(noAgent))
        #expect(finding.level == .fail && finding.advice == "start the service", "\(finding)")
    }

    @Test("A broker that closes the connection after its CONNACK is a failure")
    func closes() async throws {
        let finding = try await finding { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
        }
        #expect(finding.level == .fail && finding.text.contains("connection was lost"), "\(finding)")
    }

    @Test("A broker with a maximum QoS of 0 is a failure with advice")
    func maximumQoS() async throws {
        let finding = try await finding { $0.serve(properties: [0x24, 0]) }
        #expect(finding.level == .fail && finding.text.contains("QoS 0"))
        #expect(finding.advice?.contains("max_qos") == true, "\(finding)")
    }

    @Test("A broker that refuses the subscription is a warning")
    func refusesSubscription() async throws {
        let finding = try await finding { client in
            guard client.next() != nil else { return }
            client.send([0x20, 3, 0, 0, 0])
            while let packet = client.next() {
                if packet.type == 8 { client.send([0x90, 4] + packet.body[0..<2] + [0, 0x87]) }
            }
        }
        #expect(finding.level == .warn && finding.text.contains("fleet/acme/van-7/config"), "\(finding)")
    }
}
