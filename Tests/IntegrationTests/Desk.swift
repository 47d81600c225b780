import FoundationEssentials
import OdographHarness
import Testing
import OdographWire

extension BrokerOperator {
    /// Sends a command over MQTT 5 with a response topic and correlation data, and returns the response.
    func ask(_ payload: String, of topic: String) async throws -> CommandResponse {
        let (_, output, errors) = try await ChildProcess.run(
            "mosquitto_rr",
            ["-p", "\(port)", "-V", "5", "-q", "1", "-t", topic, "-e", "desk/answers", "-m", payload, "-W", "60"])
        guard let answer = try? JSONDecoder().decode(CommandResponse.self, from: Data(output.utf8)) else {
            throw HarnessError("no answer: \(output) \(errors)")
        }
        let faults = try ContractValidator.running().errors(schema: "response", payload: output)
        #expect(faults == [], "\(output)")
        return answer
    }
}

extension AgentProcess {
    /// Starts an agent on a drive of an hour that records every second.
    static func driving(_ broker: MosquittoBroker, folder: TemporaryFolder) throws -> AgentProcess {
        try replaying(
            Capture.drive(seconds: 3600), speed: 4, to: broker, in: folder, extra: ", groups: [\"vans\"]")
    }
}

extension Subscriber {
    /// Returns the agent's reports so far.
    func reports() throws -> [ReportedMessage] {
        try messages.filter { $0.topic.hasSuffix("/reported") }.map {
            try JSONDecoder().decode(ReportedMessage.self, from: Data($0.payload.utf8))
        }
    }

    /// Returns the responses on the device's own topic so far.
    func responses() throws -> [CommandResponse] {
        try messages.filter { $0.topic.hasSuffix("/response") }.map {
            try JSONDecoder().decode(CommandResponse.self, from: Data($0.payload.utf8))
        }
    }
}
