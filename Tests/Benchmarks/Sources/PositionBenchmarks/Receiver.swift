import CivilTime
import Dispatch
import Glibc

/// A real gpsd, and a receiver that tells it once a second where a vehicle is that drives north.
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
        // gpsd asks each new source for its type for a while.
        sleep(1)
        for second in 0... {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let bytes = Array(sentences(at: Timestamp(millisecondsSinceEpoch: Int64(now.tv_sec) * 1000), second).utf8)
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
            sleep(1)
        }
    }

    /// What an NMEA receiver says of a second: 0.006 minutes of latitude further each.
    private static func sentences(at time: Timestamp, _ second: Int) -> String {
        let digits = Array(time.iso8601.filter(\.isNumber))
        let clock = String(digits[8..<14]) + ".00"
        let date = String(digits[6..<8] + digits[4..<6] + digits[2..<4])
        let thousandths = 7000 + second * 6
        let minutes = "\(thousandths / 1000).\(text(Double(thousandths % 1000) / 1000, 3).dropFirst(2))"
        let latitude = "48" + (thousandths < 10_000 ? "0" : "") + minutes
        return sentence("GPRMC,\(clock),A,\(latitude),N,01131.000,E,21.6,0.0,\(date),,,A")
            + sentence("GPGGA,\(clock),\(latitude),N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
            + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2")
    }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0), ^)
        return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
    }
}
