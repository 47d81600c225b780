import Glibc

/// A subscriber that measures the arrival of messages: MQTT 3.1.1 at QoS 0 without a library, so that only the broker
/// is in between.
final class Listener {
    struct Arrival {
        var topic: String
        /// The reading of the monotonic clock, seconds.
        var seconds: Double
    }

    private let descriptor: Int32
    private var pending: [UInt8] = []
    private(set) var arrivals: [Arrival] = []

    init(port: UInt16, filter: String) throws {
        guard let descriptor = Socket.connect(port: port) else { throw Failure("no broker at port \(port)") }
        self.descriptor = descriptor
        let name = Array("listener".utf8)
        let connect: [UInt8] = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, UInt8(name.count)] + name
        try Socket.send([0x10, UInt8(connect.count)] + connect, to: descriptor)
        let subscribe: [UInt8] = [0, 1, 0, UInt8(filter.utf8.count)] + Array(filter.utf8) + [0]
        try Socket.send([0x82, UInt8(subscribe.count)] + subscribe, to: descriptor)
        // CONNACK and SUBACK: 4 and 5 bytes.
        try waitFor("the subscription", seconds: 5) { () -> Bool? in
            read(milliseconds: 10)
            return pending.count >= 9 ? true : nil
        }
        pending.removeFirst(9)
        take()
    }

    deinit { close(descriptor) }

    /// Reads the available bytes; waits for them up to the timeout.
    func read(milliseconds: Int32) {
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&interest, 1, milliseconds) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { pending += buffer[..<count] }
    }

    /// Waits for a message whose topic has a suffix.
    func arrival(endingWith suffix: String, seconds: Double) throws -> Arrival {
        let end = monotonicSeconds() + seconds
        while monotonicSeconds() < end {
            if let found = arrivals.first(where: { $0.topic.hasSuffix(suffix) }) { return found }
            read(milliseconds: 100)
            take()
        }
        throw Failure("no message to \(suffix) within \(seconds) s")
    }

    private func take() {
        let now = monotonicSeconds()
        while pending.count >= 2 {
            var (length, shift, position) = (0, 0, 1)
            repeat {
                guard position < pending.count else { return }
                length |= Int(pending[position] & 0x7F) << shift
                shift += 7
                position += 1
            } while pending[position - 1] & 0x80 != 0
            guard pending.count >= position + length else { return }
            if pending[0] & 0xF0 == 0x30 {
                let count = Int(pending[position]) << 8 | Int(pending[position + 1])
                let topic = String(decoding: pending[(position + 2)..<(position + 2 + count)], as: UTF8.self)
                arrivals.append(Arrival(topic: topic, seconds: now))
            }
            pending.removeFirst(position + length)
        }
    }
}
