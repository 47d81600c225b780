import Glibc

/// A mosquitto with its defaults on its own port.
final class Broker {
    let port: UInt16
    private let process: ChildProcess

    init() throws {
        port = try Self.freePort()
        // "Default" means a port and nothing else: loopback, anonymous clients, 20 messages in flight.
        process = try ChildProcess(["mosquitto", "-p", "\(port)"], output: Files.path("mosquitto.log"))
        try waitFor("mosquitto", seconds: 10) { Socket.isServed(port) ? true : nil }
    }

    var processorSeconds: Double { process.processorSeconds }

    func stop() { process.stop() }

    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = Socket.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + getsockname(descriptor, $0, &length)
            }
        }
        guard code == 0 else { throw Failure("no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// Sockets of the loopback interface and of the file system.
enum Socket {
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func isServed(_ port: UInt16) -> Bool {
        guard let descriptor = connect(port: port) else { return false }
        close(descriptor)
        return true
    }

    static func connect(port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    static func connect(path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure("the connection broke")
        }
    }
}
