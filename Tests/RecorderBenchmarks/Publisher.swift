import Logging
import OdographHarness
import OdographLink

/// Publishes messages at QoS 1, at most a window of them without an acknowledgement.
final class Publisher {
    private static let window = 1000

    private let session: MQTTSession
    private var unacknowledged = 0

    /// Connects to a broker of this machine.
    init(port: UInt16) async throws {
        var link = LinkConfiguration(host: "127.0.0.1", port: port, transport: .plain, clientID: "publisher")
        link.window = Self.window
        var logger = Logger(label: "publisher")
        logger.logLevel = .error
        session = MQTTSession(configuration: link, logger: logger)
        session.start()
        while true {
            for event in await session.events.nextBatch() {
                if case .connected = event { return }
            }
        }
    }

    /// Publishes messages, and waits while the window is full.
    func publish(_ messages: ArraySlice<FleetStream.Message>) async throws {
        var rest = messages
        while !rest.isEmpty {
            let part = rest.prefix(Self.window - unacknowledged)
            rest = rest.dropFirst(part.count)
            session.publish(
                part.map { OutgoingMessage(token: UInt64(1), topic: $0.topic, payload: $0.payload, isBulk: true) })
            unacknowledged += part.count
            if unacknowledged == Self.window { try await wait(below: Self.window / 2) }
        }
    }

    /// Waits until the broker has acknowledged all messages, and disconnects.
    func finish() async throws {
        try await wait(below: 1)
        await session.stop()
    }

    private func wait(below limit: Int) async throws {
        while unacknowledged >= limit {
            for event in await session.events.nextBatch() {
                switch event {
                case .acknowledged(let tokens): unacknowledged -= tokens.count
                case .refused, .unacknowledged, .disconnected: throw HarnessError("the broker refuses the messages")
                default: break
                }
            }
        }
    }
}
