import OdographWire

/// The reason why a message is rejected, as a sentence.
package struct RejectionReason: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// - Parameter description: The sentence.
    package init(_ description: String) { self.description = description }

    /// Creates the reason from an error of the decoder.
    init(_ error: any Error) {
        switch error {
        case let reason as RejectionReason: self = reason
        case let error as MessageError: self.init(error.description)
        case DecodingError.keyNotFound(let key, let context):
            self.init("\(Self.path(context.codingPath + [key])) is missing")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            self.init("\(Self.path(context.codingPath)) has another type")
        case DecodingError.dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            self.init((path.isEmpty ? "" : "\(path): ") + String(context.debugDescription.prefix(200)))
        default: self.init("not readable")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
}
