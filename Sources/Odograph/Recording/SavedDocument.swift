import Logging
import Store

/// A document that an earlier run saved, as the next run finds it.
///
/// A document that cannot be read is not the same as none: what was saved may have forbidden what holds without it.
package enum SavedDocument: Hashable, Sendable {
    /// There is none.
    case absent
    /// Its bytes.
    case found([UInt8])
    /// There is one, or was one, and why it cannot be read.
    case unreadable(String)

    /// Reads a document of the store.
    package static func read(_ name: String, from store: AgentStore) async -> SavedDocument {
        do {
            guard let bytes = try await store.document(name), !bytes.isEmpty else { return .absent }
            return .found(bytes)
        } catch {
            return .unreadable("\(error)")
        }
    }

    /// Reads what the document says.
    /// - Parameters:
    ///   - parse: makes a value of the bytes; nil if they say none.
    ///   - isUnreadable: called with a reason if the document cannot be read.
    /// - Returns: nil if there is no document, or none that can be read.
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
            onUnreadable("its \(bytes.count) bytes are not what this version of the agent writes")
            return nil
        }
    }
}

extension ProblemRegistry {
    /// Adds the problem that a saved document cannot be read, and logs it.
    /// - Parameters:
    ///   - document: the document in words.
    ///   - effect: what the agent does without it.
    package func raiseUnreadable(_ document: String, _ reason: String, effect: String, in logger: Logger) {
        let sentence = "\(document) cannot be read (\(reason)): \(effect)"
        let others = current.first { $0.code == ProblemCode.documentUnreadable.rawValue }.map { $0.text + "; " } ?? ""
        logger.error("\(sentence)")
        raise(.documentUnreadable, others + sentence)
    }
}
