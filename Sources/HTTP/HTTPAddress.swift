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
        guard !authority.contains("@"), !text.contains("#"), let host = Self.host(of: authority) else { return nil }
        self.text = text
        origin = scheme + authority
        isSecure = scheme == schemes[0]
        // Those that no proxy gets, see post.c.
        isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// Returns the host in lower case; nil if the text before the path is not a host and a port.
    private static func host(of authority: Substring) -> String? {
        var host = authority
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
        }
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()).map({ $0 > 0 }) == true else { return nil }
        let isIPv6 = host.hasPrefix("[")
        let isName = host.allSatisfy {
            $0.isLetter || $0.isNumber || "-._".contains($0) || isIPv6 && "[]:".contains($0)
        }
        return host.isEmpty || !isName ? nil : host.lowercased()
    }
}
