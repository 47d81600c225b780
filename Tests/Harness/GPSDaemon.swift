import Glibc
import OdographThreads

/// A real gpsd on a free port of the loopback interface. Its receivers are raw logs, which gpsd reads from TCP
/// ports once a client watches, so that no client misses the beginning of a log.
public final class GPSDaemon: Sendable {
    /// The listening port, on 127.0.0.1.
    public let port: UInt16
    private let feedListeners: [LoopbackListener]
    private let process: ChildProcess
    private let unread: Lock<Int>

    /// Starts a gpsd with one receiver and waits until it accepts connections.
    /// - Parameters:
    ///   - log: The raw receiver log. Comment lines before its content are skipped.
    ///   - lineMilliseconds: The pause after each line. gpsd also uses the pauses to separate a receiver's cycles.
    public convenience init(log: String, lineMilliseconds: UInt32 = 4) async throws {
        try await self.init(logs: [log], lineMilliseconds: lineMilliseconds, hangsUp: false)
    }

    /// Starts a gpsd with several receivers and waits until it accepts connections.
    /// - Parameters:
    ///   - logs: The raw log of each receiver. Comment lines before its content are skipped.
    ///   - lineMilliseconds: The pause after each line.
    ///   - hangsUp: Whether a receiver's connection is closed at the end of its log. Otherwise it stays open.
    public init(logs: [String], lineMilliseconds: UInt32, hangsUp: Bool) async throws {
        let feeds = try logs.map { (listener: try LoopbackListener(), content: try Self.content(of: $0)) }
        feedListeners = feeds.map(\.listener)
        unread = Lock(logs.count)
        let daemonPort = try FreePort.next()
        port = daemonPort
        let receivers = feeds.map { "tcp://127.0.0.1:\($0.listener.port)" }
        process = try ServerProgram.start("gpsd", ["-N", "-b", "-S", "\(daemonPort)"] + receivers)
        for feed in feeds {
            startThread { [self] in
                self.feed(feed.content, to: feed.listener, lineMilliseconds: lineMilliseconds, hangsUp: hangsUp)
            }
        }
        guard try await eventually({ FreePort.isServed(daemonPort) ? true : nil }) != nil else {
            stop()
            throw HarnessError("gpsd does not listen: \(process.errors)")
        }
    }

    /// The number of logs that gpsd has not read completely.
    public var logsToGo: Int { unread.withLock { $0 } }

    /// Ends gpsd and its receivers. Call this before the last reference is released.
    public func stop() {
        for listener in feedListeners { listener.stop() }
        process.send(SIGKILL)
    }

    private func feed(_ content: [UInt8], to listener: LoopbackListener, lineMilliseconds: UInt32, hangsUp: Bool) {
        guard let connection = listener.accept() else { return }
        defer { close(connection) }
        // gpsd probes the type of each new source for a while, and drops the input of that time.
        usleep(1_000_000)
        waitForAnswer()
        for line in content.split(separator: 10, omittingEmptySubsequences: false) {
            let bytes = Array(line) + [10]
            guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
            usleep(lineMilliseconds * 1000)
        }
        usleep(500_000)
        // It welcomes clients before it reads from receivers, so the second welcome comes after the last bytes.
        for _ in 0..<2 { waitForAnswer() }
        unread.withLock { $0 -= 1 }
        while !hangsUp, process.poll() == nil { usleep(20_000) }
    }

    /// Waits until gpsd welcomes a client. It does one thing at a time, so it has then read what it was sent before. On
    /// a busy machine that takes seconds.
    private func waitForAnswer() {
        guard let client = FreePort.connected(to: port) else { return }
        defer { close(client) }
        var byte: UInt8 = 0
        _ = recv(client, &byte, 1, 0)
    }

    private static func content(of path: String) throws -> [UInt8] {
        let bytes = try FileContents.bytes(path)
        var rest = bytes[...]
        while rest.first == UInt8(ascii: "#"), let end = rest.firstIndex(of: 10) { rest = rest[(end + 1)...] }
        return Array(rest)
    }
}
