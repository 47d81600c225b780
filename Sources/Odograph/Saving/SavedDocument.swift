import Logging
import OdographStore

/// A document of an earlier run.
///
/// An unreadable document is not the same as an absent one: it may have forbidden something that is allowed without it.
package enum SavedDocument: Hashable, Sendable {
    case absent
    case found([UInt8])
    /// There is, or was, a document that cannot be read, with the reason.
    case unreadable(String)

    /// Reads a document from the store.
    package static func read(_ name: String, from store: AgentStore) async -> SavedDocument {
        do {
            guard let bytes = try await store.document(name), !bytes.isEmpty else { return .absent }
            return .found(bytes)
        } catch {
            return .unreadable("\(error)")
        }
    }

    /// Parses the document.
    /// - Parameters:
    ///   - parse: Returns the value of the bytes. nil if they are invalid.
    ///   - onUnreadable: Called with the reason if the document cannot be read.
    /// - Returns: nil if there is no document, or no readable one.
    package func parsed<Value>(
        _ parse: ([UInt8]) -> Value?, onUnreadable: (_ reason: String) -> Void
    ) -> Value? {
        switch self {
        case .absent: return nil
        case .unreadable(let reason):
            onUnreadable(reason)
            return nil
        case .found(let bytes):
            if let value = parse(bytes) { return value }
            onUnreadable("its \(bytes.count) bytes are not in the format of this version")
            return nil
        }
    }
}

extension ProblemRegistry {
    /// Adds and logs the problem that a saved document cannot be read.
    /// - Parameters:
    ///   - document: The description of the document.
    ///   - effect: The behaviour of the agent without it.
    package func raiseUnreadable(_ document: String, _ reason: String, effect: String, in logger: Logger) {
        let sentence = "\(document) cannot be read (\(reason)): \(effect)"
        let others = current.first { $0.code == .documentUnreadable }.map { $0.text + "; " } ?? ""
        logger.error("\(sentence)")
        raise(.documentUnreadable, others + sentence)
    }
}
