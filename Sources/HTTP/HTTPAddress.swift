/// The address of a web service: `http://` or `https://`, a host, and optionally a port, a path and a query.
package struct HTTPAddress: Hashable, Sendable {
    /// The whole address. It can contain a secret in its path or query: do not log it.
    package let text: String
    /// The scheme, host and port, for messages.
    package let origin: String
    /// Whether the connection is encrypted.
    package let isSecure: Bool
    /// Whether the service is on this machine.
    package let isLoopback: Bool

    /// Creates an address; nil if the text is not one, or contains a user name or a password.
    package init?(_ text: String) {
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }), text.utf8.count <= 2000,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@"), !text.contains("#"), let place = HostPort(authority) else { return nil }
        self.text = text
        origin = scheme + authority
        isSecure = scheme == schemes[0]
        // Those that no proxy gets, see post.c.
        isLoopback = place.isLoopback
    }
}
