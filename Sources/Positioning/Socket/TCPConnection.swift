import Glibc
import OdographThreads

/// A non-blocking TCP connection. Another thread can end each wait by a wake-up. Only
/// ``connected(to:port:wakeUp:isStopped:timeoutMilliseconds:)`` blocks while it resolves the host name.
struct TCPConnection: ~Copyable {
    /// A reason why there is no connection. The text can complete a sentence.
    struct Failure: Error {
        let reason: String
        /// Whether another thread ended the wait.
        var isWokenUp = false
    }

    private let descriptor: Int32

    deinit {
        close(descriptor)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Connects to the first of the host's addresses that answers. Resolving the name blocks.
    /// - Parameters:
    ///   - isStopped: Whether a wake-up ends the attempt. Otherwise the wake-up has no effect.
    ///   - timeoutMilliseconds: The timeout for each address.
    static func connected(
        to host: String, port: UInt16, wakeUp: PollWaker, isStopped: () -> Bool, timeoutMilliseconds: Int32
    ) throws(Failure) -> TCPConnection {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Not AI_ADDRCONFIG: without a network it hides the loopback address of one family.
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &addresses)
        guard code == 0 else { throw Failure(reason: "unknown host name (\(String(cString: gai_strerror(code))))") }
        defer { freeaddrinfo(addresses) }
        var failure = Failure(reason: "the host name has no address")
        var candidate = addresses
        while let address = candidate?.pointee {
            switch connect(address, wakeUp, isStopped, timeoutMilliseconds) {
            case .success(let descriptor): return TCPConnection(descriptor: descriptor)
            case .failure(let reason): failure = reason
            }
            if failure.isWokenUp { break }
            candidate = address.ai_next
        }
        throw failure
    }

    private static func connect(
        _ address: addrinfo, _ wakeUp: PollWaker, _ isStopped: () -> Bool, _ timeoutMilliseconds: Int32
    ) -> Result<Int32, Failure> {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.ai_family, flags, 0)
        guard descriptor >= 0 else { return .failure(Failure(reason: text(of: errno))) }
        let failure = finishConnecting(descriptor, address, wakeUp, isStopped, timeoutMilliseconds)
        if let failure {
            close(descriptor)
            return .failure(failure)
        }
        keepAlive(descriptor)
        return .success(descriptor)
    }

    private static func finishConnecting(
        _ descriptor: Int32, _ address: addrinfo, _ wakeUp: PollWaker, _ isStopped: () -> Bool,
        _ timeoutMilliseconds: Int32
    ) -> Failure? {
        guard Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return nil }
        guard errno == EINPROGRESS || errno == EINTR else { return Failure(reason: text(of: errno)) }
        switch waitForWriting(descriptor, wakeUp, isStopped, timeoutMilliseconds) {
        case .wokenUp: return Failure(reason: "stopped", isWokenUp: true)
        case .timedOut: return Failure(reason: "no response")
        case .ready: break
        }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return code == 0 ? nil : Failure(reason: text(of: code))
    }

    /// Enables keep-alive packets. They detect the loss of a gpsd on another machine.
    private static func keepAlive(_ descriptor: Int32) {
        let options: [(Int32, Int32, Int32)] = [
            (SOL_SOCKET, SO_KEEPALIVE, 1),
            (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10),
            (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
        ]
        for (level, name, value) in options {
            var value = value
            setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// Waits until data can be read or, with `POLLOUT`, written.
    func wait(for events: Int32, wakeUp: PollWaker, milliseconds: Int32) -> PollWaker.Readiness {
        wakeUp.wait(for: descriptor, events: events, milliseconds: milliseconds)
    }

    /// Waits until data can be written. A wake-up ends the wait only if the owner has stopped.
    private static func waitForWriting(
        _ descriptor: Int32, _ wakeUp: PollWaker, _ isStopped: () -> Bool, _ milliseconds: Int32
    ) -> PollWaker.Readiness {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            let readiness = wakeUp.wait(
                for: descriptor, events: POLLOUT, milliseconds: Int32(clamping: Int64(left.rounded(.up))))
            guard readiness == .wokenUp else { return readiness }
            wakeUp.clear()
            if isStopped() { return .wokenUp }
        }
    }

    /// Reads the available data.
    /// - Returns: The number of bytes, 0 if the peer has closed the connection, nil if there is no data yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw Failure(reason: Self.text(of: errno)) }
        }
    }

    /// Writes a complete request, in several pieces if necessary.
    func write(
        _ text: String, wakeUp: PollWaker, isStopped: () -> Bool, timeoutMilliseconds: Int32
    ) throws(Failure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                switch Self.waitForWriting(descriptor, wakeUp, isStopped, timeoutMilliseconds) {
                case .ready: break
                case .timedOut: throw Failure(reason: "it accepts no request")
                case .wokenUp: throw Failure(reason: "stopped", isWokenUp: true)
                }
            } else if errno != EINTR {
                throw Failure(reason: Self.text(of: errno))
            }
        }
    }

    private static func text(of code: Int32) -> String {
        String(cString: strerror(code)).lowercased()
    }
}
