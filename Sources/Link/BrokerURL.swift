/// The address of a broker: `mqtt://host[:1883]` in plain text, `mqtts://host[:8883]` over TLS.
public struct BrokerURL: Hashable, Sendable {
    /// A host name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    /// The TCP port, 1 to 65535.
    public let port: UInt16
    /// Whether the scheme was `mqtts`.
    public let isSecure: Bool

    /// An error for a text that is not a broker's address. Its description says how to correct the text.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// The message, as one sentence.
        public let description: String
    }

    /// - Throws: ``Malformed`` with the mistake and its correction. A password in the text is not repeated.
    public init(_ text: String) throws(Malformed) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw Malformed(
                description: "write the address with mqtt:// or mqtts://, such as mqtts://broker.example")
        }
        switch text[..<colon].lowercased() {
        case "mqtt": isSecure = false
        case "mqtts": isSecure = true
        case let scheme:
            throw Malformed(
                description: "unknown scheme \"\(scheme)\"; write mqtt:// (not encrypted) or mqtts:// (TLS)")
        }
        var rest = text[text.index(colon, offsetBy: 3)...]
        guard !rest.contains("@") else {
            throw Malformed(
                description: "write no user or password in the address, because logs show it; "
                    + "set the user in the configuration, and the password in a file or in the environment")
        }
        if rest.hasSuffix("/") { rest.removeLast() }
        guard !rest.contains(where: { "/?#".contains($0) }) else {
            throw Malformed(
                description: "an address ends after the port; remove the part from \"/\", \"?\" or \"#\"")
        }
        let (host, portText) = try Self.split(rest)
        try Self.check(host: host)
        self.host = host
        guard let portText else {
            port = isSecure ? 8883 : 1883
            return
        }
        guard let number = UInt16(portText), number > 0, portText.allSatisfy(\.isNumber) else {
            // The text is not quoted: it may be the password of "user:password".
            throw Malformed(description: "invalid port after the host; write a number from 1 to 65535")
        }
        port = number
    }

    /// Whether others can read the traffic: plain text that leaves the machine.
    public var isReadableByOthers: Bool { !isSecure && !isLoopback }

    /// Whether the host is this machine, so that plain text does not leave it.
    public var isLoopback: Bool { Self.isLoopback(host: host) }

    static func isLoopback(host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func split(_ authority: Substring) throws(Malformed) -> (host: String, port: Substring?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw Malformed(
                    description: "the bracket of the IPv6 address is not closed; write it like mqtt://[::1]:1883")
            }
            let host = String(authority[authority.index(after: authority.startIndex)..<end])
            let tail = authority[authority.index(after: end)...]
            guard host.contains(":"), tail.isEmpty || tail.hasPrefix(":") else {
                throw Malformed(
                    description: "write only an IPv6 address in brackets, then the port, as in mqtt://[::1]:1883")
            }
            return (host, tail.isEmpty ? nil : tail.dropFirst())
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else {
            throw Malformed(description: "write an IPv6 address in brackets, as in mqtt://[::1]:1883")
        }
        return (String(parts[0]), parts.count == 2 ? parts[1] : nil)
    }

    private static func check(host: String) throws(Malformed) {
        guard !host.isEmpty else {
            throw Malformed(description: "the host is missing; write it like mqtts://broker.example")
        }
        let isPlausible = host.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte >= 0x80
                || ".:-_%".utf8.contains(byte)
        }
        guard isPlausible else {
            throw Malformed(
                description: "the host contains an invalid character; write a name or an IP address")
        }
    }
}

extension BrokerURL: CustomStringConvertible {
    /// The address with its port.
    public var description: String { Self.text(host: host, port: port, isSecure: isSecure) }

    /// Returns the text of an address with its port.
    static func text(host: String, port: UInt16, isSecure: Bool) -> String {
        "\(isSecure ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
