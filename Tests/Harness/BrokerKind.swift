/// A broker that fleets use, and that a test can start.
public enum BrokerKind: String, CaseIterable, Sendable {
    case mosquitto, nats, natsCluster, rabbitMQ

    /// Starts a broker of this kind.
    public func start() async throws -> any InterruptibleBroker {
        switch self {
        case .mosquitto: try await MosquittoBroker(configuration: "max_queued_messages 0")
        case .nats: try await NATSCluster(servers: 1)
        case .natsCluster: try await NATSCluster()
        case .rabbitMQ: try await RabbitMQBroker()
        }
    }
}
