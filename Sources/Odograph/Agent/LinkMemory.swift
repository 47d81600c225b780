import Link
import Logging
import Store

/// What is remembered of the link from one run to the next: the number of connections, and the protocol that works.
actor LinkMemory {
    /// Numbers are reserved in blocks, so that connecting does not write.
    private static let block: Int64 = 16

    /// The numbers that connections have: those that JSON's readers keep exactly.
    private static let numbers = Int64(1)...1 << 53

    private let store: AgentStore
    private let logger: Logger
    private var reservedBelow: Int64
    /// The number of the first connection of this run.
    let firstSession: Int
    /// The protocol version that worked last; nil for none yet.
    private(set) var protocolVersion: ProtocolVersion?

    init(store: AgentStore, logger: Logger) async {
        self.store = store
        self.logger = logger
        let saved = try? await store.document(DocumentName.linkSession)
        let known = saved.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        let next = known.flatMap { Self.numbers.contains($0) ? $0 : nil } ?? 1
        firstSession = Int(next)
        reservedBelow = next
        let version = try? await store.document(DocumentName.linkProtocol)
        protocolVersion = version.flatMap { ProtocolVersion(rawValue: String(decoding: $0, as: UTF8.self)) }
        await reserve(beyond: next)
    }

    /// A connection stands.
    func connected(_ info: ConnectionInfo) async {
        await reserve(beyond: Int64(info.session))
        guard protocolVersion != info.protocolVersion else { return }
        protocolVersion = info.protocolVersion
        await save(DocumentName.linkProtocol, info.protocolVersion.rawValue)
    }

    private func reserve(beyond session: Int64) async {
        guard session + Self.block / 2 >= reservedBelow else { return }
        reservedBelow = session + Self.block
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
