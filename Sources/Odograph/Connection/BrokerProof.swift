import Logging
import OdographLink
import OdographPositioning
import OdographWire

/// The proof that the agent can use brokers: with one of them it connects, subscribes to its configuration, and finds
/// documents that name these brokers. A broker without the documents would leave the vehicle without its schedule.
///
/// It uses a client of its own beside the agent's, with another client id, without a will, and publishes nothing.
struct BrokerProof: Sendable {
    /// The brokers, and the login of the agent.
    let link: LinkConfiguration
    /// Functions for the vehicle's certificate.
    var hooks = MQTTClient.Hooks()
    /// The topics of the configuration, each with its level.
    let topics: [String: DownlinkLevel]
    /// Returns whether documents of the levels make the agent use these brokers.
    let isConfirmed: @Sendable ([DownlinkLevel: [UInt8]]) -> Bool
    let clock: any AgentClock
    let logger: Logger
    /// How long the proof may take, milliseconds.
    var longestMilliseconds: Int64 = 120_000
    /// The time after the last consent in which the retained documents arrive, milliseconds.
    var settlingMilliseconds = RetainedCheck.timeoutMilliseconds

    /// Runs the proof, until the task is cancelled at the latest.
    /// - Returns: Why the brokers cannot be used; nil if they can.
    func run() async -> String? {
        let client = MQTTClient(configuration: link, hooks: hooks, logger: logger)
        client.subscribe(topics.keys.sorted())
        client.start()
        let limit = Task { [clock, longestMilliseconds] in
            let end = clock.now().uptimeMilliseconds + longestMilliseconds
            try? await clock.sleep(untilUptimeMilliseconds: end)
            await client.stop()
        }
        let failure = await withTaskCancellationHandler {
            await follow(client)
        } onCancel: {
            limit.cancel()
        }
        limit.cancel()
        await limit.value
        return failure
    }

    /// Reads the events of a client until the brokers are proved, a subscription is refused, or the client ends.
    private func follow(_ client: MQTTClient) async -> String? {
        var failure = "no answer in \(longestMilliseconds / 1000) s"
        var documents: [DownlinkLevel: [UInt8]] = [:]
        var grantedTopics: Set<String> = []
        /// Whether all retained documents had time to arrive: a broker does not say that there are none.
        var isComplete = false
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await event in client.events {
            switch event {
            case .connected(let information):
                (documents, grantedTopics, isComplete) = ([:], [], false)
                failure = "\(information.broker) has no configuration document that names these brokers"
            case .disconnected(let reason, let retry):
                if retry != nil { failure = "\(reason)" }
            case .message(let message):
                if let level = topics[message.topic] { documents[level] = message.payload }
            case .subscribed(let topic, let refusal):
                if let refusal { return "the broker refuses the subscription to \(topic): \(refusal)" }
                grantedTopics.insert(topic)
                guard grantedTopics.count == topics.count else { continue }
                timer?.cancel()
                timer = Task { [clock, settlingMilliseconds] in
                    let end = clock.now().uptimeMilliseconds + settlingMilliseconds
                    try? await clock.sleep(untilUptimeMilliseconds: end)
                    if !Task.isCancelled { client.probe() }
                }
            case .probeAnswered: isComplete = grantedTopics.count == topics.count
            case .connecting, .acknowledged, .refused, .refusedWithoutToken, .acknowledgementsMissing, .unacknowledged,
                .oversized, .keepAliveLearned, .traffic:
                continue
            }
            if isComplete, isConfirmed(documents) { return nil }
        }
        return failure
    }
}
