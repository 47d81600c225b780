import Odograph
import OdographJSON
import OdographWire

/// The document that the broker retains for a level.
public struct DesiredDocument: Hashable, Sendable {
    /// The SHA-256 hash of the payload, as vehicles report it.
    public var hash: String
    /// The version in the document; nil if it has none, or cannot be parsed.
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
