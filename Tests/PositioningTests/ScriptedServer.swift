import Glibc
import OdographHarness

@testable import OdographPositioning
import OdographThreads

/// A server on the loopback interface that sends scripted bytes, one script per connection, and nothing after the last.
final class ScriptedServer: Sendable {
    var port: UInt16 { listener.port }
    private let listener: LoopbackListener
    private let isStopped = Lock(false)

    init(port wanted: UInt16 = 0, sends scripts: [[UInt8]], closes: Bool = false) throws {
        listener = try LoopbackListener(port: wanted)
        startThread { [self] in serve(scripts, closes: closes) }
    }

    private func serve(_ scripts: [[UInt8]], closes: Bool) {
        var open: [Int32] = []
        for script in scripts {
            guard let connection = listener.accept() else { break }
            _ = send(connection, script, script.count, Int32(MSG_NOSIGNAL))
            if closes {
                // Not before the request has arrived: closing a socket with unread bytes resets the connection.
                var request = [UInt8](repeating: 0, count: 256)
                _ = recv(connection, &request, request.count, 0)
                close(connection)
            } else {
                open.append(connection)
            }
        }
        while !isStopped.withLock({ $0 }) { usleep(20_000) }
        for connection in open { close(connection) }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        listener.stop()
    }
}
