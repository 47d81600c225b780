import FoundationEssentials
import OdographCompression
import OdographHarness
import OdographJSON

/// A message that no decoder of batches may accept. The decoders in Python and JavaScript are tested with the same
/// ones.
struct HostileBatch: Decodable {
    /// The fault.
    var name: String
    /// `size`: the message would need too much memory or time; `form`: its form is wrong.
    var kind: String
    private var document: String?
    private var message: String?

    /// The file with the messages.
    static let path = Corpora.projectRoot + "/Tests/Contract/hostile-batches.json"

    /// All of them.
    static func all() throws -> [HostileBatch] {
        try JSONCoder.decode([HostileBatch].self, from: FileContents.bytes(path))
    }

    /// The payload.
    func payload() throws -> [UInt8] {
        if let document, let payload = DeflateFormat.zlib.compressed(Array(document.utf8)) { return payload }
        guard let message, let payload = Data(base64Encoded: message) else { throw HarnessError("no message: \(name)") }
        return Array(payload)
    }
}
