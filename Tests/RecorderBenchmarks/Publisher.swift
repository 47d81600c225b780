import Logging
import OdographHarness
import OdographLink

/// Publishes messages at QoS 1, at most 1,000 of them without an acknowledgement.
final class Publisher {
    private static let maximumInFlight = 1000

    private let client: MQTTClient
    private var unacknowledged = 0

    /// Connects to a broker of this machine.
    init(port: UInt16) async throws {
        var link = LinkConfiguration(host: "127.0.0.1", port: port, transport: .plain, clientID: "publisher")
        link.maximumInFlight = Self.maximumInFlight
        var logger = Logger(label: "publisher")
        logger.logLevel = .error
        client = MQTTClient(configuration: link, logger: logger)
        client.start()
        while true {
            for event in await client.events.nextBatch() {
                if case .connected = event { return }
            }
        }
    }

    /// Publishes messages, and waits while too many are in flight.
    func publish(_ messages: ArraySlice<FleetStream.Message>) async throws {
        var rest = messages
        while !rest.isEmpty {
            let part = rest.prefix(Self.maximumInFlight - unacknowledged)
            rest = rest.dropFirst(part.count)
            client.publish(
                part.map { OutgoingMessage(token: UInt64(1), topic: $0.topic, payload: $0.payload, isBulk: true) })
            unacknowledged += part.count
            if unacknowledged == Self.maximumInFlight { try await wait(below: Self.maximumInFlight / 2) }
        }
    }

    /// Waits until the broker has acknowledged all messages, and disconnects.
    func finish() async throws {
        try await wait(below: 1)
        await client.stop()
    }

    private func wait(below limit: Int) async throws {
        while unacknowledged >= limit {
            for event in await client.events.nextBatch() {
                switch event {
                case .acknowledged(let tokens): unacknowledged -= tokens.count
                case .refused, .unacknowledged, .disconnected: throw HarnessError("the broker refuses the messages")
                default: break
                }
            }
        }
    }
}
