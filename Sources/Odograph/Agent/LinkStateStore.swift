import Link
import Logging
import Store

/// What is remembered of the link from one run to the next: the number of connections, and the protocol that works.
actor LinkStateStore {
    /// Numbers are reserved in blocks, so that connecting does not write.
    private static let blockSize: Int64 = 16

    /// The numbers that connections have: those that JSON's readers keep exactly.
    private static let validSessions = Int64(1)...1 << 53

    private let store: AgentStore
    private let logger: Logger
    private var reservedBelow: Int64
    /// The number of the first connection of this run.
    let firstSession: Int
    /// The protocol version that worked last; nil for none yet.
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
                "the number of connections", reason, effect: "it goes on from the database's epoch", in: logger)
        }
        // Numbers that were given away must not come again. The epoch is about the seconds since 1970, and larger than them.
        let fallback = isLost ? store.epochIdentity.epoch : 1
        let next = known ?? (Self.validSessions.contains(fallback) ? fallback : 1)
        firstSession = Int(next)
        reservedBelow = next
        let version = await SavedDocument.read(DocumentName.linkProtocol, from: store)
        protocolVersion = version.parsed {
            MQTTVersion(rawValue: String(decoding: $0, as: UTF8.self))
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the protocol that worked last", reason, effect: "it is found out anew", in: logger)
        }
        await reserve(beyond: next)
    }

    /// A connection stands.
    func recordConnection(_ info: ConnectionInfo) async {
        await reserve(beyond: Int64(info.sessionNumber))
        guard protocolVersion != info.protocolVersion else { return }
        protocolVersion = info.protocolVersion
        await save(DocumentName.linkProtocol, info.protocolVersion.rawValue)
    }

    /// The database of earlier runs can be used now: the next run counts on from the larger number.
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
            logger.warning("what is known of the link cannot be saved: \(error)")
        }
    }
}
