import OdographCivilTime
import Dispatch
import Glibc
import OdographHarness

/// A real gpsd, and a receiver that reports a vehicle on its way north once a second.
final class Receiver {
    let port: UInt16
    private let process: ChildProcess
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Socket.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + getsockname(descriptor, $0, &length) + listen(descriptor, 1)
            }
        }
        guard code == 0 else { throw Failure("no port for the receiver") }
        port = try Broker.freePort()
        let source = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        process = try ChildProcess(["gpsd", "-N", "-n", "-b", "-S", "\(port)", source], output: Files.path("gpsd.log"))
        DispatchQueue(label: "receiver").async { Self.feed(descriptor) }
        let own = port
        try waitFor("gpsd", seconds: 10) { Socket.isServed(own) ? true : nil }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        process.stop(SIGKILL)
        close(listener)
    }

    private static func feed(_ listener: Int32) {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        // gpsd probes the type of each new source for a while.
        sleep(1)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let drive = NMEADrive(start: Timestamp(millisecondsSinceEpoch: Int64(now.tv_sec) * 1000))
        for second in 0... {
            let bytes = Array(drive.sentences(second: second).utf8)
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
            sleep(1)
        }
    }
}
