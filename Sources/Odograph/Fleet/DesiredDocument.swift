import OdographJSON
import Wire

/// What the broker holds of a level: the document that its vehicles ought to have in force.
public struct DesiredDocument: Hashable, Sendable {
    /// SHA-256 of the payload, as a vehicle reports it.
    public var hash: String
    /// The document's own version; nil where it has none, or cannot be read.
    public var version: String?

    init(_ payload: [UInt8]) {
        hash = SHA256.hexDigest(of: payload)
        guard payload.count <= ConfigurationDocument.maximumBytes,
            case .object(let members)? = try? JSON5Parser.value(of: payload),
            case .string(let version)? = members["version"]
        else { return }
        self.version = version
    }
}
