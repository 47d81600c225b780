import OdographHarness
import OdographLink
import Logging
import OdographThreads

/// Records the events of a client for a test.
final class Recorder: Sendable {
    struct Seen {
        var connected: [ConnectionInfo] = []
        var failures: [LinkFailure] = []
        /// The seconds until the next attempt after each failure.
        var delays: [Double?] = []
        var acknowledged: [UInt64] = []
        var returned: [UInt64] = []
        var overtaken: [UInt64] = []
        var answers = 0
        var keepAlive: [KeepAliveMemory] = []
        var traffic: [Int64] = []
        var refused: [UInt64: Int] = [:]
        var refusedTopics: [String] = []
        var messages: [IncomingMessage] = []
        var oversized: [Int] = []
        var subscribed: [String: String?] = [:]
        var attempts: [Int] = []
        var isFinished = false
    }

    private let seen = Lock(Seen())
    let client: MQTTClient

    init(_ client: MQTTClient, start: Bool = true) {
        self.client = client
        Task { [self] in
            for await event in client.events { seen.withLock { Self.note(event, in: &$0) } }
            seen.withLock { $0.isFinished = true }
        }
        if start { client.start() }
    }

    private static func note(_ event: LinkEvent, in seen: inout Seen) {
        switch event {
        case .connecting(let attempt): seen.attempts.append(attempt)
        case .connected(let info): seen.connected.append(info)
        case .disconnected(let failure, let delay):
            seen.failures.append(failure)
            seen.delays.append(delay)
        case .acknowledged(let tokens): seen.acknowledged += tokens
        case .refused(let token, let reason, _): seen.refused[token] = reason.reasonCode
        case .refusedWithoutToken(let topic, _): seen.refusedTopics.append(topic)
        case .acknowledgementsMissing(let tokens): seen.overtaken += tokens
        case .unacknowledged(let tokens): seen.returned += tokens
        case .probeAnswered: seen.answers += 1
        case .keepAliveLearned(let memory): seen.keepAlive.append(memory)
        case .traffic(let bytes): seen.traffic.append(bytes)
        case .message(let message): seen.messages.append(message)
        case .oversized(_, let bytes): seen.oversized.append(bytes)
        case .subscribed(let filter, let refusal): seen.subscribed[filter] = .some(refusal)
        }
    }

    var now: Seen { seen.withLock { $0 } }

    /// Waits until the recorded events meet a condition.
    @discardableResult
    func until(_ what: String, seconds: Double = 300, _ condition: (Seen) -> Bool) async throws -> Seen {
        let found = try await eventually(within: seconds) { () -> Seen? in
            let now = self.now
            return condition(now) ? now : nil
        }
        guard let found else { throw HarnessError("\(what) did not come about; seen: \(now.summary)") }
        return found
    }

    @discardableResult
    func untilConnected(times: Int = 1) async throws -> ConnectionInfo {
        let seen = try await until("connection \(times)") { $0.connected.count >= times }
        return seen.connected[times - 1]
    }
}

extension Recorder.Seen {
    var summary: String {
        "connected \(connected.count), failures \(failures), acknowledged \(acknowledged.count), "
            + "returned \(returned.count), refused \(refused), messages \(messages.count), subscribed \(subscribed)"
    }
}

extension LinkConfiguration {
    /// Returns a configuration for a test's broker, with short delays between attempts.
    static func test(port: UInt16, clientID: String = "van-7", host: String = "127.0.0.1") -> LinkConfiguration {
        var configuration = LinkConfiguration(host: host, port: port, transport: .plain, clientID: clientID)
        configuration.backoffMaximumSeconds = 0.2
        configuration.backoffMinimumSeconds = 0.05
        configuration.connectTimeoutSeconds = 10
        return configuration
    }
}

/// A logger that discards its messages.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension OutgoingMessage {
    static func text(_ topic: String, _ text: String, token: UInt64? = nil) -> OutgoingMessage {
        OutgoingMessage(token: token, topic: topic, payload: Array(text.utf8))
    }
}

extension IncomingMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}
