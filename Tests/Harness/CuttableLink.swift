import Glibc
import OdographThreads

/// A relay of TCP connections to another port of 127.0.0.1. A test cuts it as a tunnel cuts a vehicle's connection, or
/// lets it forget silent connections as a NAT does.
public final class CuttableLink: Sendable {
    /// One relayed connection. Both sockets stay open until both directions have ended, so that no number of a socket
    /// is used again while somebody can still cut it.
    private final class Connection: Sendable {
        let client: Int32
        let server: Int32
        private let memory: Memory
        private let lastBytes = Lock<ContinuousClock.Instant?>(.now)

        init(client: Int32, server: Int32, memory: Memory) {
            (self.client, self.server, self.memory) = (client, server, memory)
        }

        /// Whether the relay forgot the connection before the bytes that have just come.
        private func isForgotten() -> Bool {
            let limit = memory.seconds.withLock { $0 }
            return lastBytes.withLock { last in
                guard let before = last, limit.map({ .now - before < .seconds($0) }) ?? true else {
                    if last != nil { memory.forgotten.withLock { $0 += 1 } }
                    last = nil
                    return true
                }
                last = .now
                return false
            }
        }

        deinit {
            close(client)
            close(server)
        }

        func cut() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }

        /// Copies bytes until one side ends, and then ends the other.
        func copy(from source: Int32, to sink: Int32) {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(source, &bytes, bytes.count, 0)
                guard count > 0 else { break }
                if isForgotten() { continue }
                var done = 0
                while done < count {
                    let written = bytes.withUnsafeBytes {
                        send(sink, $0.baseAddress?.advanced(by: done), count - done, Int32(MSG_NOSIGNAL))
                    }
                    guard written > 0 else { return cut() }
                    done += written
                }
            }
            cut()
        }
    }

    /// The relay's memory of silent connections.
    private final class Memory: Sendable {
        /// How long it remembers one, in seconds; nil for ever.
        let seconds = Lock<Double?>(nil)
        /// The number of connections that sent bytes after it had forgotten them.
        let forgotten = Lock(0)
    }

    /// The open connections, which the threads of the relay share.
    private final class Connections: Sendable {
        private let list = Lock<[Connection]>([])

        func add(_ connection: Connection) { list.withLock { $0.append(connection) } }

        func remove(_ connection: Connection) { list.withLock { $0.removeAll { $0 === connection } } }

        func cut() {
            for connection in list.withLock({ $0 }) { connection.cut() }
        }
    }

    /// The port to connect to.
    public var port: UInt16 { listener.port }
    private let listener: LoopbackListener
    private let connections = Connections()
    private let memory = Memory()

    /// - Parameter target: The port of the broker. Nothing needs to listen there yet.
    public init(to target: UInt16) throws {
        listener = try LoopbackListener()
        listener.serve { [connections, memory] client in
            guard let server = FreePort.connected(to: target) else {
                close(client)
                return
            }
            let connection = Connection(client: client, server: server, memory: memory)
            connections.add(connection)
            for (source, sink) in [(client, server), (server, client)] {
                startThread {
                    connection.copy(from: source, to: sink)
                    connections.remove(connection)
                }
            }
        }
    }

    /// Ends all connections. New ones are possible at once.
    public func cut() { connections.cut() }

    /// From now on, bytes of a connection that was silent for longer are dropped, and so are all later ones. The
    /// connection stays open.
    public func forgetSilentConnections(afterSeconds seconds: Double) { memory.seconds.withLock { $0 = seconds } }

    /// The number of connections that sent bytes after they were forgotten.
    public var forgottenCount: Int { memory.forgotten.withLock { $0 } }

    deinit {
        listener.stop()
        cut()
    }
}
