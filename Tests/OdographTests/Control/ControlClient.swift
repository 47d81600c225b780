import Glibc
import OdographHarness
import OdographThreads

@testable import Odograph

/// A client of a control socket that can misbehave.
final class ControlClient: Sendable {
    private let descriptor: Int32

    /// Connects to a control socket.
    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, UnixSocketAddress.streamType, 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard try UnixSocketAddress(path).withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
            throw HarnessError("\(path): no connection")
        }
    }

    private init(connected descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to a control socket; returns nil if its queue of waiting connections is full.
    static func unlessFull(_ path: String) throws -> ControlClient? {
        let descriptor = socket(AF_UNIX, UnixSocketAddress.streamType | Int32(SOCK_NONBLOCK.rawValue), 0)
        let client = ControlClient(connected: descriptor)
        return try UnixSocketAddress(path).withSockaddr({ connect(descriptor, $0, $1) }) == 0 ? client : nil
    }

    deinit { close(descriptor) }

    /// Sends bytes until all are sent or the other side accepts no more.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes the sending side of the connection.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether input can be read.
    var hasInput: Bool {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
    }

    /// Reads until a number of lines have arrived or the other side has closed.
    func receive(lines wanted: Int) -> [String] {
        var received: [UInt8] = []
        var found = 0
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while found < wanted {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            found += chunk[..<count].count { $0 == UInt8(ascii: "\n") }
            received += chunk[..<count]
        }
        return String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
