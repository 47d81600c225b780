/// The host and the port of an address, as in `mail.example:587`.
package struct HostPort: Hashable, Sendable {
    /// A name, an IPv4 address, or an IPv6 address in brackets, in lower case.
    package let host: String
    /// The port; nil if the text has none.
    package let port: UInt16?

    /// Whether the host is this machine.
    package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// Reads the part of an address before its path; nil if it is not a host and a port.
    package init?(_ authority: Substring) {
        var host = authority
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
        }
        let rest = authority[host.endIndex...]
        port = rest.first == ":" ? UInt16(rest.dropFirst()) : nil
        guard rest.isEmpty || port.map({ $0 > 0 }) == true else { return nil }
        let isIPv6 = host.hasPrefix("[")
        let isName = host.allSatisfy {
            $0.isLetter || $0.isNumber || "-._".contains($0) || isIPv6 && "[]:".contains($0)
        }
        guard !host.isEmpty, isName else { return nil }
        self.host = host.lowercased()
    }
}
