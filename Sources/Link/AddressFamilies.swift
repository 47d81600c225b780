import Glibc

/// The address families of a host, in the resolver's order.
///
/// libmosquitto's non-blocking connect tries only the first address of a host. If "localhost" resolves to `::1` first
/// and the broker listens on 127.0.0.1, it would never connect. Binding to the wildcard address of a family makes the
/// library skip the addresses of the other family.
enum AddressFamilies {
    /// Returns the local address to bind to for each address family of a host; [nil] if there is one family.
    static func bindAddresses(host: String) throws(LinkFailure) -> [String?] {
        bindAddresses(families: try families(of: host))
    }

    /// Returns the local address to bind to for each distinct family of a host's addresses.
    static func bindAddresses(families: [Int32]) -> [String?] {
        var addresses: [String?] = []
        for family in families {
            let wildcard = family == AF_INET6 ? "::" : "0.0.0.0"
            if !addresses.contains(wildcard) { addresses.append(wildcard) }
        }
        return addresses.count > 1 ? addresses : [nil]
    }

    /// Returns this machine's address on a connection, without the port; empty if the socket has none.
    static func localAddress(of socket: Int32) -> [UInt8] {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let generic = UnsafeMutableRawPointer(pointer)
            guard getsockname(socket, generic.assumingMemoryBound(to: sockaddr.self), &length) == 0 else { return [] }
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                return withUnsafeBytes(of: generic.load(as: sockaddr_in.self).sin_addr) { Array($0) }
            case AF_INET6:
                return withUnsafeBytes(of: generic.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
            default: return []
            }
        }
    }

    /// Returns the family of each address of a host, in the resolver's order.
    private static func families(of host: String) throws(LinkFailure) -> [Int32] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            throw .hostNotFound(host: host, detail: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(list) }
        var families: [Int32] = []
        var current = list
        while let entry = current?.pointee {
            families.append(entry.ai_family)
            current = entry.ai_next
        }
        return families
    }
}
