import Glibc
import OdographHarness

@testable import OdographPositioning
import OdographThreads

/// A server on the loopback interface that sends scripted bytes, one script per connection, and nothing after the last.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let isStopped = Lock(false)

    init(port wanted: UInt16 = 0, sends scripts: [[UInt8]], closes: Bool = false) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        port = try FreePort.bindLoopback(descriptor, port: wanted)
        guard listen(descriptor, 8) == 0 else { throw HarnessError("cannot listen at port \(wanted)") }
        listener = descriptor
        _ = WorkerThread.start { [self] in serve(scripts, closes: closes) }
    }

    private func serve(_ scripts: [[UInt8]], closes: Bool) {
        var open: [Int32] = []
        for script in scripts {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
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
        close(listener)
    }

    func stop() {
        isStopped.withLock { $0 = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }
}
