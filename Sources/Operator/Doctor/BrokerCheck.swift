import Odograph
import OdographLink
import Logging
import OdographJSON
import OdographTerminal
import OdographThreads
import OdographWire

/// Checks the broker with a short session like the agent's: name resolution, network, TLS and credentials.
struct BrokerCheck {
    private static let subject = "broker"

    /// The result of a session with the broker.
    private struct SessionResult {
        var info: ConnectionInfo
        /// The reason why the broker refused the subscription to the device's own topic; nil if it did not.
        var refusal: String?
    }

    private let link: Result<LinkConfiguration, ConfigurationError>
    /// Whether systemd has not handed over the credentials, because the service does not run.
    private let isWithoutCredentials: Bool
    private let url: BrokerURL
    /// A topic to which every agent subscribes.
    private let topic: String
    private let waitSeconds: Double

    init(_ configuration: AgentConfiguration, waitSeconds: Double) {
        url = configuration.broker.url
        topic = configuration.address.topic(.device, .config)
        self.waitSeconds = waitSeconds
        isWithoutCredentials = BrokerCredentials.areAbsent(for: configuration.broker)
        link = Result { () throws(ConfigurationError) in
            try BrokerCredentials.checkPaths(of: configuration.broker)
            // A client id of its own, so that the check never ends the agent's connection.
            let clientID = configuration.broker.clientID.map { $0 + "-doctor" } ?? RandomIdentifier.make()
            var link = configuration.broker.linkConfiguration(
                clientID: clientID, password: try BrokerCredentials.password(for: configuration.broker))
            link.connectTimeoutSeconds = waitSeconds
            link.acknowledgementTimeoutSeconds = waitSeconds
            // Somebody waits for the answer.
            link.backoffMinimumSeconds = 0.2
            link.backoffMaximumSeconds = 0.5
            return link
        }
    }

    /// - Parameter agent: the response of the running agent. If it is connected, no session is made: a broker that uses
    ///   the name in a certificate as client id would end the agent's session.
    func finding(agent: Result<CommandResponse, ControlError>) async -> Finding {
        if case .success(let answer) = agent, answer.members["is_connected"] == .bool(true) {
            return Finding(.ok, Self.subject, "\(url): the running agent is connected")
        }
        guard !isWithoutCredentials else {
            return Finding(
                .fail, Self.subject, "\(url): not checked, because only the running service has the credentials",
                advice: "start the service")
        }
        switch link {
        case .failure:
            return Finding(.fail, Self.subject, "\(url): not checked, because the credentials cannot be read")
        case .success(let link): return await finding(link)
        }
    }

    private func finding(_ link: LinkConfiguration) async -> Finding {
        let client = MQTTClient(
            configuration: link, logger: Logger(label: Self.subject) { _ in SwiftLogNoOpLogHandler() })
        let start = ContinuousClock.now
        client.subscribe([topic])
        client.start()
        // The session bounds the time of each step except name resolution.
        let last = Lock<LinkFailure?>(nil)
        let outcome =
            await Task.withTimeout(afterSeconds: waitSeconds + 2) { await Self.outcome(of: client, last: last) }
            ?? last.withLock { $0 }.map { .failure($0) }
        let elapsed = start.duration(to: .now) / .milliseconds(1)
        await client.stop()
        return finding(outcome, milliseconds: elapsed)
    }

    private func finding(_ outcome: Result<SessionResult, LinkFailure>?, milliseconds: Double) -> Finding {
        switch outcome {
        case .success(let visit):
            let version = "MQTT \(visit.info.protocolVersion.rawValue)\(url.isSecure ? " over TLS" : "")"
            if let refusal = visit.refusal {
                return Finding(
                    .warn, Self.subject,
                    "\(url): \(version), but the broker refuses the subscription to \(topic) (\(refusal))",
                    advice: "allow it in the broker's access rules; otherwise no configuration reaches the vehicle")
            }
            return Finding(
                .ok, Self.subject, "\(url): \(version), connected within \(milliseconds.formatted(decimals: 0)) ms")
        case .failure(let failure): return Finding(.fail, Self.subject, sentence: "\(url): \(failure)")
        case nil:
            return Finding(
                .fail, Self.subject, "\(url): no response within \(waitSeconds.formatted(decimals: 0)) s",
                advice: "check this machine's network and DNS")
        }
    }

    /// The attempts of which the most precise failure is taken: a broker gives its reason in some attempts only.
    private static let mostAttempts = 8

    /// Returns the result of the first attempt that says something. A broker that supports only the older protocol gets
    /// a further attempt. The result waits for the response to the subscription, because some brokers accept a
    /// connection and then end it.
    /// - Parameter last: Gets a failure that says no more than that the connection ended.
    private static func outcome(
        of client: MQTTClient, last: borrowing Lock<LinkFailure?>
    ) async -> Result<SessionResult, LinkFailure>? {
        var known: ConnectionInfo?
        var attempts = 0
        for await event in client.events {
            switch event {
            case .connected(let info):
                guard info.maximumQoS > 0 else { return .failure(.qosNotSupported) }
                known = info
            case .subscribed(_, let refusal):
                if let known { return .success(SessionResult(info: known, refusal: refusal)) }
            case .disconnected(.protocolVersionRefused(.v5), retryInSeconds: .some): continue
            case .disconnected(let failure, let retry):
                attempts += 1
                guard known == nil, failure.isVague, retry != nil, attempts < mostAttempts else {
                    return .failure(failure)
                }
                last.withLock { $0 = failure }
            default: continue
            }
        }
        return nil
    }
}
