import Glibc

/// One address of a broker's name.
///
/// libmosquitto's non-blocking connect tries only the first address of a host that does not fail at once. So the
/// client resolves the name itself, at each attempt, and gives the library one address after the other. The library
/// still knows the name, for TLS.
struct BrokerAddress: Hashable, Sendable {
    /// The numeric form, such as `192.0.2.7` or `fe80::1%eth0`.
    let text: String
    let isIPv6: Bool

    /// Returns the addresses of a host, in the resolver's order. Blocks.
    static func resolved(_ host: String) throws(LinkFailure) -> [BrokerAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw .hostNotFound(host: host, detail: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var addresses: [BrokerAddress] = []
        var current = list
        while let entry = current?.pointee {
            current = entry.ai_next
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let isNamed = getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            guard isNamed == 0, [AF_INET, AF_INET6].contains(entry.ai_family) else { continue }
            let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            addresses.append(BrokerAddress(text: text, isIPv6: entry.ai_family == AF_INET6))
        }
        return addresses
    }

    /// Returns this machine's address on a connection, without the port; empty if the socket has none.
    static func local(of socket: Int32) -> [UInt8] {
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

    /// The longest time of ``connectionError(port:)``, milliseconds. A host that refuses answers at once.
    private static let longestTryMilliseconds: Int32 = 1000

    /// The result of a TCP connection without data.
    private enum Trial: Equatable {
        case accepted, unanswered
        case refused(error: Int32)
    }

    /// Tries a TCP connection, without data.
    /// - Returns: The error with which the network refuses it; nil if it is accepted, or there is no answer in a
    ///   second.
    func connectionError(port: UInt16) -> Int32? {
        if case .refused(let error) = tryConnection(port: port) { error } else { nil }
    }

    private func tryConnection(port: UInt16) -> Trial {
        connecting(SOCK_STREAM, port: port) { descriptor, error in
            if error == 0 { return .accepted }
            guard error == EINPROGRESS else { return .refused(error: error) }
            var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&poller, 1, Self.longestTryMilliseconds) > 0 else { return .unanswered }
            var error: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
            return error == 0 ? .accepted : .refused(error: error)
        } ?? .unanswered
    }

    /// Whether this machine's network has a route to the address. Sends nothing: the socket is one of UDP.
    var hasRoute: Bool { connecting(SOCK_DGRAM, port: 9) { _, error in error == 0 } ?? false }

    /// Begins to connect a socket to the address.
    /// - Parameter body: Gets the socket, which does not block, and the error of the call; 0 for none.
    /// - Returns: Its result; nil if there is no socket.
    private func connecting<Result>(
        _ type: __socket_type, port: UInt16, _ body: (_ descriptor: Int32, _ error: Int32) -> Result
    ) -> Result? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(type.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, "\(port)", &hints, &list) == 0, let entry = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        let kind = Int32(type.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(entry.ai_family, kind, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let code = Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen)
        return body(descriptor, code == 0 ? 0 : errno)
    }

    /// Returns whether this machine can open a TCP connection. Takes at most a second.
    func acceptsConnection(port: UInt16) -> Bool { tryConnection(port: port) == .accepted }

    /// Returns whether a socket is connected: whether the other side has answered.
    static func isConnected(_ socket: Int32) -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) {
            getpeername(socket, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length) == 0
        }
    }
}

/// Returns the addresses of a host, in the resolver's order.
typealias BrokerResolver = @Sendable (_ host: String) throws(LinkFailure) -> [BrokerAddress]
