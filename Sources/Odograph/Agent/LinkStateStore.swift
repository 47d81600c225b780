import OdographLink
import Logging
import OdographStore

/// The saved state of the link: the session number, and the protocol version that worked.
actor LinkStateStore {
    /// The number of session numbers that one write reserves, so that most connections write nothing.
    private static let blockSize: Int64 = 16

    /// The range of session numbers. JSON parsers read these exactly.
    private static let validSessions = Int64(1)...1 << 53

    private let store: AgentStore
    private let logger: Logger
    private var reservedBelow: Int64
    /// The session number of this run's first connection.
    let firstSession: Int
    /// The protocol version that worked last. nil if none is known.
    private(set) var protocolVersion: MQTTVersion?

    init(store: AgentStore, problems: ProblemRegistry, logger: Logger) async {
        self.store = store
        self.logger = logger
        let saved = await SavedDocument.read(DocumentName.linkSession, from: store)
        var isLost = saved == .absent && store.report.damage != nil
        let known = saved.parsed {
            Int64(String(decoding: $0, as: UTF8.self)).flatMap { Self.validSessions.contains($0) ? $0 : nil }
        } onUnreadable: { reason in
            isLost = true
            problems.raiseUnreadable(
                "the saved session number", reason, effect: "it continues from the database's epoch", in: logger)
        }
        // Session numbers must not repeat. After a loss, counting continues from the database's epoch, which is larger
        // than all numbers in use.
        let fallback = isLost ? store.epochIdentity.epoch : 1
        let next = known ?? (Self.validSessions.contains(fallback) ? fallback : 1)
        firstSession = Int(next)
        reservedBelow = next
        let version = await SavedDocument.read(DocumentName.linkProtocol, from: store)
        protocolVersion = version.parsed {
            MQTTVersion(rawValue: String(decoding: $0, as: UTF8.self))
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the saved MQTT version", reason, effect: "the agent negotiates it again", in: logger)
        }
        await reserve(beyond: next)
    }

    /// Saves the session number and the protocol version of a new connection.
    func recordConnection(_ info: ConnectionInfo) async {
        await reserve(beyond: Int64(info.sessionNumber))
        guard protocolVersion != info.protocolVersion else { return }
        protocolVersion = info.protocolVersion
        await save(DocumentName.linkProtocol, info.protocolVersion.rawValue)
    }

    /// Merges the session number of an earlier run, when its database becomes readable. The next run continues from the
    /// larger one.
    func mergeRecoveredDocuments(_ documents: [String: [UInt8]]) async {
        let saved = documents[DocumentName.linkSession].flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard let saved, saved > reservedBelow else { return }
        reservedBelow = saved
        await save(DocumentName.linkSession, String(saved))
    }

    private func reserve(beyond session: Int64) async {
        guard session + Self.blockSize / 2 >= reservedBelow else { return }
        reservedBelow = session + Self.blockSize
        await save(DocumentName.linkSession, String(reservedBelow))
    }

    private func save(_ name: String, _ text: String) async {
        do {
            try await store.saveDocument(name, Array(text.utf8))
        } catch {
            logger.warning("cannot save the state of the broker link: \(error)")
        }
    }
}
