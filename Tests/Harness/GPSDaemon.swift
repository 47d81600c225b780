import Dispatch
import Glibc
import Threads

/// A real gpsd on a free port of the loopback, whose receiver is a raw log: gpsd reads it from a TCP port, once a client
/// watches, so that nothing of the log passes before somebody listens.
public final class GPSDaemon: Sendable {
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16
    private let feedListener: Int32
    private let process: ChildProcess
    private let isFed = Lock(false)

    /// Starts a gpsd and waits until it accepts connections.
    /// - Parameters:
    ///   - log: The raw receiver log; comment lines before its content are left out.
    ///   - lineMilliseconds: The pause behind each line. gpsd tells a receiver's cycles apart by its pauses too.
    public init(log: String, lineMilliseconds: UInt32 = 4) async throws {
        let content = try Self.content(of: log)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let feedPort = try FreePort.bindLoopback(listener, port: 0)
        guard listen(listener, 1) == 0 else { throw HarnessError("no receiver at port \(feedPort)") }
        feedListener = listener
        let daemonPort = try FreePort.next()
        port = daemonPort
        process = try ChildProcess("gpsd", ["-N", "-b", "-S", "\(daemonPort)", "tcp://127.0.0.1:\(feedPort)"])
        DispatchQueue(label: "receiver").async { [self] in feed(content, lineMilliseconds: lineMilliseconds) }
        guard try await eventually(within: 10, { FreePort.isServed(daemonPort) ? true : nil }) != nil else {
            throw HarnessError("gpsd does not listen: \(process.errors)")
        }
    }

    /// Whether the whole log was given to gpsd.
    public var isLogOver: Bool { isFed.withLock { $0 } }

    /// Ends gpsd and its receiver. To be called before the last reference goes.
    public func stop() {
        shutdown(feedListener, Int32(SHUT_RDWR))
        process.send(SIGKILL)
    }

    private func feed(_ content: [UInt8], lineMilliseconds: UInt32) {
        let connection = accept(feedListener, nil, nil)
        defer { close(feedListener) }
        guard connection >= 0 else { return }
        defer { close(connection) }
        // gpsd asks each new source for its type for a while, and drops what comes meanwhile.
        usleep(1_000_000)
        for line in content.split(separator: 10, omittingEmptySubsequences: false) {
            let bytes = Array(line) + [10]
            guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
            usleep(lineMilliseconds * 1000)
        }
        usleep(500_000)
        isFed.withLock { $0 = true }
        while process.poll() == nil { usleep(20_000) }
    }

    private static func content(of path: String) throws -> [UInt8] {
        guard let stream = fopen(path, "re") else { throw HarnessError.system(path) }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        var rest = bytes[...]
        while rest.first == UInt8(ascii: "#"), let end = rest.firstIndex(of: 10) { rest = rest[(end + 1)...] }
        return Array(rest)
    }
}
