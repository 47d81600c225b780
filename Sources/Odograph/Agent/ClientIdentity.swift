import Logging
import Store
import Wire

/// The client id of an agent at its broker.
///
/// A broker gives a client id to the client that connected with it last: it ends the other connection, publishes its will
/// and hands over its session. Most brokers do not compare the logins. An id that others can guess would let each of them
/// end the agent's connection. So the agent draws a random id once and keeps it in its database: a new connection replaces
/// the agent's own half-open one, and no other client can name it. The id is a secret; it is never published.
enum ClientIdentity {
    /// Returns the configured id, or the one in the store, or a new one, which is then saved.
    ///
    /// The id belongs to one address: a database that comes from another vehicle does not bring that vehicle's id along.
    static func load(_ configuration: AgentConfiguration, from store: AgentStore, logger: Logger) async -> String {
        if let configured = configuration.broker.clientID { return configured }
        let owner = configuration.address.path
        do {
            let saved = try await store.document(DocumentName.clientID)
            if let saved, let id = parse(String(decoding: saved, as: UTF8.self), owner: owner) { return id }
        } catch {
            logger.warning("the saved client id cannot be read, a new one is drawn: \(error)")
        }
        let id = RandomIdentifier.make()
        do {
            try await store.saveDocument(DocumentName.clientID, Array("\(owner) \(id)".utf8))
        } catch {
            logger.warning("the client id cannot be saved, the next start draws another: \(error)")
        }
        return id
    }

    /// Returns the id in `<root>/<fleet>/<device> <id>`; nil where the text is not that, or belongs to another device.
    private static func parse(_ text: String, owner: String) -> String? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == owner, !parts[1].isEmpty else { return nil }
        return String(parts[1])
    }
}
