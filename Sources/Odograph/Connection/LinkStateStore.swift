import OdographCivilTime
import OdographJSON
import OdographLink
import Logging
import OdographPositioning
import OdographStore
import OdographWire

/// The saved state of the link: the connection number, whether the first broker has accepted MQTT 5, and the keep-alive
/// interval that the network tolerates.
actor LinkStateStore {
    /// The number of connection numbers that one write reserves, so that most connections write nothing.
    private static let blockSize: Int64 = 16

    /// The range of connection numbers. JSON parsers read these exactly.
    private static let validConnections = Int64(1)...1 << 53

    /// The knowledge about the keep-alive interval, with its broker and date.
    private struct LearnedKeepAlive: Codable {
        /// How long it is used, in seconds: 30 days. A network changes, and learning again costs little.
        static let lifetimeSeconds = 30 * 86_400.0

        var broker: String
        var learnedAt: Timestamp
        var memory: KeepAliveMemory

        /// Returns whether it applies to a broker at a time. It also does if a clock was wrong and the date is in the
        /// future: a wrong interval is corrected in use.
        func applies(to broker: BrokerURL, at now: Timestamp) -> Bool {
            self.broker == broker.description && now.seconds(since: learnedAt) <= Self.lifetimeSeconds
        }
    }

    private let store: AgentStore
    private let broker: BrokerURL
    private let clock: any AgentClock
    private let logger: Logger
    private var reservedBelow: Int64
    /// The connection number of this run's first connection.
    let firstConnection: Int
    /// Whether the first broker has accepted MQTT 5.
    private(set) var hasSpokenVersion5: Bool
    /// The knowledge of an earlier run about the keep-alive interval to this broker. nil if none, or if it is old.
    let keepAlive: KeepAliveMemory?

    init(
        store: AgentStore, broker: BrokerURL, clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) async {
        self.store = store
        self.broker = broker
        self.clock = clock
        self.logger = logger
        let saved = await SavedDocument.read(DocumentName.linkConnections, from: store)
        var isLost = saved == .absent && store.report.damage != nil
        let known = saved.parsed {
            Int64(String(decoding: $0, as: UTF8.self)).flatMap { Self.validConnections.contains($0) ? $0 : nil }
        } onUnreadable: { reason in
            isLost = true
            problems.raiseUnreadable(
                "the saved connection number", reason, effect: "it continues from the database's epoch", in: logger)
        }
        // Connection numbers must not repeat. After a loss, counting continues from the database's epoch, which is
        // larger than all numbers in use.
        let fallback = isLost ? store.epochIdentity.epoch : 1
        let next = known ?? (Self.validConnections.contains(fallback) ? fallback : 1)
        firstConnection = Int(next)
        reservedBelow = next
        let version = await SavedDocument.read(DocumentName.linkProtocol, from: store)
        let speaker = version.parsed {
            try? BrokerURL(String(decoding: $0, as: UTF8.self))
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the saved MQTT version", reason, effect: "the agent negotiates it again", in: logger)
        }
        hasSpokenVersion5 = speaker == broker
        let learned = await SavedDocument.read(DocumentName.linkKeepAlive, from: store).parsed {
            try? JSONCoder.decode(LearnedKeepAlive.self, from: $0)
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the saved keep-alive interval", reason, effect: "the agent searches for it again", in: logger)
        }
        keepAlive = learned.flatMap { $0.applies(to: broker, at: clock.now().systemTime) ? $0.memory : nil }
        await reserve(beyond: next)
    }

    /// Saves what the link has learned about the keep-alive interval.
    func recordKeepAlive(_ memory: KeepAliveMemory) async {
        let learned = LearnedKeepAlive(
            broker: broker.description, learnedAt: clock.now().systemTime, memory: memory)
        do {
            await save(DocumentName.linkKeepAlive, String(decoding: try JSONCoder.bytes(of: learned), as: UTF8.self))
        } catch {
            logger.error("cannot encode the keep-alive interval: \(error)")
        }
    }

    /// Saves the number of a new connection, and that the first broker has accepted MQTT 5. Version 3.1.1 is not saved:
    /// each run tries MQTT 5 first.
    func recordConnection(_ info: ConnectionInfo) async {
        await reserve(beyond: Int64(info.connectionNumber))
        guard info.protocolVersion == .v5, info.broker == broker.description, !hasSpokenVersion5 else { return }
        hasSpokenVersion5 = true
        await save(DocumentName.linkProtocol, info.broker)
    }

    /// Merges the connection number of an earlier run, when its database becomes readable. The next run continues from
    /// the larger one.
    func mergeRecoveredDocuments(_ documents: [String: [UInt8]]) async {
        let saved = documents[DocumentName.linkConnections].flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard let saved, saved > reservedBelow else { return }
        reservedBelow = saved
        await save(DocumentName.linkConnections, String(saved))
    }

    private func reserve(beyond connection: Int64) async {
        guard connection + Self.blockSize / 2 >= reservedBelow else { return }
        reservedBelow = connection + Self.blockSize
        await save(DocumentName.linkConnections, String(reservedBelow))
    }

    private func save(_ name: String, _ text: String) async {
        do {
            try await store.saveDocument(name, Array(text.utf8))
        } catch {
            logger.warning("cannot save the state of the broker link: \(error)")
        }
    }
}
