/// The address of a server that takes mail: `smtp://` or `smtps://`, a host, and optionally a port.
package struct MailServer: Hashable, Sendable {
    /// The address with its port.
    package let text: String
    /// Whether the server is on this machine.
    package let isLoopback: Bool
    /// Whether the connection is encrypted from its beginning. Otherwise the encryption begins with STARTTLS.
    package let isEncryptedFromBeginning: Bool

    /// Creates an address; nil if the text is not one. The usual ports are those of a submission: 587 and 465.
    package init?(_ text: String) {
        let schemes = ["smtps://", "smtp://"]
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }), text.utf8.count <= 300 else {
            return nil
        }
        let rest = text.dropFirst(scheme.count)
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let place = HostPort(rest) else { return nil }
        isEncryptedFromBeginning = scheme == schemes[0]
        isLoopback = place.isLoopback
        self.text = "\(scheme)\(place.host):\(place.port ?? (isEncryptedFromBeginning ? 465 : 587))"
    }
}
