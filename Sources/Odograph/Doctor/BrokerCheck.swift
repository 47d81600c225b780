import Link
import Logging
import OdographJSON
import Wire

/// A short session with the broker: name, network, TLS, credentials, all at once, as the agent itself would have it.
struct BrokerCheck {
    private static let subject = "broker"

    /// How a session with the broker went.
    private struct SessionResult {
        var info: ConnectionInfo
        /// Why the broker does not let this device listen to its own topic; nil where it does.
        var refusal: String?
    }

    private let link: Result<LinkConfiguration, ConfigurationError>
    private let url: BrokerURL
    /// A topic that every agent listens to.
    private let topic: String
    private let waitSeconds: Double

    init(_ configuration: AgentConfiguration, waitSeconds: Double) {
        url = configuration.broker.url
        topic = configuration.address.topic(.device, .config)
        self.waitSeconds = waitSeconds
        link = Result { () throws(ConfigurationError) in
            // An id of its own, so that it never ends the agent's connection.
            let clientID = configuration.broker.clientID.map { $0 + "-doctor" } ?? RandomIdentifier.make()
            var link = configuration.broker.linkConfiguration(
                clientID: clientID, password: try BrokerCredentials.password(for: configuration.broker),
                rememberedVersion: nil)
            link.connectTimeoutSeconds = waitSeconds
            link.acknowledgementTimeoutSeconds = waitSeconds
            return link
        }
    }

    /// - Parameter agent: what an agent that runs says of itself. One that is connected is not disturbed: a broker that takes
    ///   the name in a certificate for the client's would end its session for a second one.
    func finding(agent: Result<CommandResponse, ControlError>) async -> Finding {
        if case .success(let answer) = agent, answer.members["is_connected"] == .bool(true) {
            return Finding(.ok, Self.subject, "\(url): the agent that runs is connected")
        }
        switch link {
        case .failure: return Finding(.fail, Self.subject, "\(url) was not tried: its password cannot be read")
        case .success(let link): return await finding(link)
        }
    }

    private func finding(_ link: LinkConfiguration) async -> Finding {
        let session = MQTTSession(
            configuration: link, logger: Logger(label: Self.subject) { _ in SwiftLogNoOpLogHandler() })
        let start = ContinuousClock.now
        session.subscribe([topic])
        session.start()
        // The session bounds each step but the resolver's.
        let outcome = await Task.withTimeout(afterSeconds: waitSeconds + 2) { await Self.outcome(of: session) }
        let elapsed = start.duration(to: .now) / .milliseconds(1)
        await session.stop()
        return finding(outcome, milliseconds: elapsed)
    }

    private func finding(_ outcome: Result<SessionResult, LinkFailure>?, milliseconds: Double) -> Finding {
        switch outcome {
        case .success(let visit):
            let version = "MQTT \(visit.info.protocolVersion.rawValue)\(url.isSecure ? " over TLS" : "")"
            if let refusal = visit.refusal {
                return Finding(
                    .warn, Self.subject, "\(url): \(version), but this device may not listen to \(topic) (\(refusal))",
                    advice: "allow it in the broker's rules, else no configuration reaches the vehicle")
            }
            return Finding(
                .ok, Self.subject, "\(url): \(version), let in within \(milliseconds.formatted(decimals: 0)) ms")
        case .failure(let failure): return Finding(.fail, Self.subject, sentence: "\(url): \(failure)")
        case nil:
            return Finding(
                .fail, Self.subject, "\(url): no answer within \(waitSeconds.formatted(decimals: 0)) s",
                advice: "check this machine's network and name servers")
        }
    }

    /// How the first attempt ended; a broker that knows only the older protocol gets a second one. That the broker lets the
    /// device in says little: some end the connection right after it. So it counts once the broker has answered more.
    private static func outcome(of session: MQTTSession) async -> Result<SessionResult, LinkFailure>? {
        var known: ConnectionInfo?
        for await event in session.events {
            switch event {
            case .connected(let info):
                guard info.maximumQoS > 0 else { return .failure(.qosNotSupported) }
                known = info
            case .subscribed(_, let refusal):
                if let known { return .success(SessionResult(info: known, refusal: refusal)) }
            case .disconnected(.protocolVersionRefused(.v5), retryInSeconds: .some): continue
            case .disconnected(let failure, _): return .failure(failure)
            default: continue
            }
        }
        return nil
    }
}
