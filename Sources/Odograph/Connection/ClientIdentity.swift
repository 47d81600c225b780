import Logging
import OdographSettings
import OdographStore
import OdographWire

/// The client ID of an agent at its broker.
///
/// A broker gives a client ID to the client that connected with it last: it ends the other connection, publishes that
/// connection's will and hands over its session. Most brokers do not compare the logins, so a client that can guess the
/// ID can end the agent's connection. Therefore the agent draws a random ID once and keeps it in its database. A new
/// connection then replaces the agent's own half-open one only. The ID is a secret and is never published.
enum ClientIdentity {
    /// Returns the configured ID, or the saved one, or a new one, which it saves. The ID belongs to one address: a
    /// database that was copied from another vehicle does not bring that vehicle's ID.
    static func load(_ configuration: AgentConfiguration, from store: AgentStore, logger: Logger) async -> String {
        if let configured = configuration.broker.clientID { return configured }
        let owner = configuration.address.path
        do {
            let saved = try await store.document(DocumentName.clientID)
            if let saved, let id = parse(String(decoding: saved, as: UTF8.self), owner: owner) { return id }
        } catch {
            logger.warning("cannot read the saved client id, using a new one: \(error)")
        }
        let id = RandomIdentifier.make()
        do {
            try await store.saveDocument(DocumentName.clientID, Array("\(owner) \(id)".utf8))
        } catch {
            logger.warning("cannot save the client id, the next start uses another one: \(error)")
        }
        return id
    }

    /// Returns the ID in `<root>/<fleet>/<device> <id>`. nil if the text has another form, or belongs to another
    /// device.
    private static func parse(_ text: String, owner: String) -> String? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == owner, !parts[1].isEmpty else { return nil }
        return String(parts[1])
    }
}
