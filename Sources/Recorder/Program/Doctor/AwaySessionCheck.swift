import Logging
import OdographLink
import OdographTerminal
import OdographThreads

/// Checks with a session of its own that the broker keeps messages for a session whose client is away. A broker that
/// keeps none acknowledges the records of vehicles, and loses them while the recorder is away.
struct AwaySessionCheck {
    /// The outcome of the message.
    enum Result {
        /// It arrived when the session continued.
        case kept
        /// The broker did not know the session any more.
        case sessionLost
        /// The session continued without the message.
        case messageLost
        /// A step before was not possible, for the reason that other findings give.
        case notChecked
    }

    /// The name of a vehicle that does not exist. A message to its receipt topic means nothing to a recorder.
    private static let device = "odograph-doctor-away"
    private static let subject = "queue"
    /// How long the broker keeps the session if this program ends in between (MQTT 5), seconds.
    private static let expirySeconds: UInt32 = 600

    private let link: LinkConfiguration
    private let topic: String
    private let waitSeconds: Double

    /// - Parameters:
    ///   - recording: The recorder's settings, of which the first fleet is used.
    ///   - link: The settings of a short session.
    ///   - waitSeconds: The time limit of each step, seconds.
    init(_ recording: RecordingSettings, link: LinkConfiguration, waitSeconds: Double) {
        self.link = link
        self.waitSeconds = waitSeconds
        topic =
            "\(recording.root)/\(recording.fleets[0])/\(Self.device)/receipt/\(recording.receipts.recorder)"
    }

    /// Makes a session, leaves it, publishes a message for it, and continues it.
    func run() async -> Result {
        var away = link
        away.clientID += "-away"
        (away.cleanStart, away.sessionExpirySeconds) = (false, Self.expirySeconds)
        guard await begin(away), await publish() else { return .notChecked }
        let result = await resume(away)
        // With MQTT 3.1.1 a session ends only with a clean one.
        (away.cleanStart, away.sessionExpirySeconds) = (true, 0)
        _ = await visit(away, subscribing: false) { event, _ in if case .connected = event { true } else { nil } }
        return result
    }

    /// Returns the finding; nil if the check was not possible.
    static func finding(_ result: Result) -> Finding? {
        let advice =
            "records that arrive while the recorder is away are lost; with mosquitto 2.0.12 to 2.0.22 remove "
            + "per_listener_settings (provision init), with others allow persistent sessions and their queues"
        switch result {
        case .kept: return Finding(.ok, subject, "the broker keeps messages for a session whose client is away")
        case .sessionLost:
            return Finding(.fail, subject, "the broker keeps no session whose client is away", advice: advice)
        case .messageLost:
            return Finding(
                .fail, subject, "the broker keeps no message for a session whose client is away", advice: advice)
        case .notChecked: return nil
        }
    }

    private func begin(_ away: LinkConfiguration) async -> Bool {
        await visit(away, subscribing: true) { event, _ in
            if case .subscribed(_, let refusal) = event { refusal == nil } else { nil }
        } ?? false
    }

    private func publish() async -> Bool {
        await visit(link, subscribing: false) { event, client in
            switch event {
            case .connected:
                client.publish([OutgoingMessage(token: 1, topic: topic, payload: [])])
                return nil
            case .acknowledged: return true
            case .refused: return false
            default: return nil
            }
        } ?? false
    }

    /// Continues the session, and waits for the message.
    private func resume(_ away: LinkConfiguration) async -> Result {
        await visit(away, subscribing: false) { event, _ in
            switch event {
            case .connected(let information): information.isSessionPresent ? nil : .sessionLost
            case .message(let message): message.topic == topic ? .kept : nil
            default: nil
            }
        } ?? .messageLost
    }

    /// Connects, and disconnects at the first event that gives a value; nil if none does in time.
    private func visit<Value: Sendable>(
        _ link: LinkConfiguration, subscribing: Bool,
        until value: @escaping @Sendable (LinkEvent, MQTTClient) -> Value?
    ) async -> Value? {
        let client = MQTTClient(
            configuration: link, logger: Logger(label: Self.subject) { _ in SwiftLogNoOpLogHandler() })
        if subscribing { client.subscribe([topic]) }
        client.start()
        let found = await Task.withTimeout(afterSeconds: waitSeconds) { () -> Value? in
            for await event in client.events {
                if let value = value(event, client) { return value }
                // The session tries again with the other version of MQTT.
                if case .disconnected(let failure, let retry) = event {
                    guard case .protocolVersionRefused(.v5) = failure, retry != nil else { return nil }
                }
            }
            return nil
        }
        await client.stop()
        return found
    }
}
