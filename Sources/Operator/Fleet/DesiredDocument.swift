import Odograph
import OdographJSON
import OdographLink
import OdographWire

/// The document that the broker retains for a level.
public struct DesiredDocument: Hashable, Sendable {
    /// The name of the user property (MQTT 5) in which a desk names the sender of a document.
    static let senderProperty = "sender"

    /// The SHA-256 hash of the payload, as vehicles report it.
    public var hash: String
    /// The version in the document; nil if it has none, or cannot be parsed.
    public var version: String?
    /// Whether the payload is empty: it removed a document.
    public var isRemoval: Bool
    /// The sender, as its desk named it. The broker does not check the name. Nil if the sender gave none.
    public var sender: String?

    init(_ payload: [UInt8], sender: String? = nil) {
        hash = SHA256.hexDigest(of: payload)
        isRemoval = payload.isEmpty
        self.sender = sender
        guard payload.count <= ConfigurationDocument.maximumBytes,
            case .object(let members)? = try? JSON5Parser.value(of: payload),
            case .string(let version)? = members["version"]
        else { return }
        self.version = version
    }

    init(_ message: IncomingMessage) {
        self.init(message.payload, sender: message.userProperties.first { $0.name == Self.senderProperty }?.value)
    }

    /// The version and the start of the hash, for people.
    var name: String {
        version.map { "version \($0) (#\(hash.prefix(7)))" } ?? "a document without a version (#\(hash.prefix(7)))"
    }

    /// The document for people: `version 2 (#44136fa) from ann@office`, `the removal of the document from ann@office`.
    public var text: String {
        (isRemoval ? "the removal of the document" : name) + " from \(sender ?? "an unnamed sender")"
    }
}
