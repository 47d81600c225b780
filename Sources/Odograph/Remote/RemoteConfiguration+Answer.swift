import OdographJSON
import OdographSettings
import OdographWire

extension RemoteConfiguration {
    /// Returns the members of the answer to `get_configuration`.
    func members() throws -> [String: JSONValue] {
        let outcome = outcome
        return [
            "levels": try JSONCoder.value(of: outcome.levels), "errors": try JSONCoder.value(of: outcome.errors),
            "configuration": outcome.document,
            "configuration_hash": .string(SHA256.hexDigest(of: try JSONCoder.bytes(of: outcome.document))),
        ]
    }
}
