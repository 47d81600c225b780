import Glibc

/// A simulated broker with faults: each connection runs a script.
public final class StubBroker: Sendable {
    /// One packet from the client.
    public struct Packet: Sendable {
        /// The packet type: 1 is CONNECT, 3 PUBLISH, 8 SUBSCRIBE, 10 UNSUBSCRIBE, 12 PINGREQ.
        public var type: UInt8
        /// The low four bits of the first byte. Bits 1 and 2 of a PUBLISH are the QoS.
        public var flags: UInt8
        /// The bytes after the length field.
        public var body: [UInt8]

        /// The protocol level of a CONNECT: 4 is MQTT 3.1.1, 5 is MQTT 5.
        public var protocolLevel: UInt8 { body.count > 6 ? body[6] : 0 }

        /// The topic of a PUBLISH.
        public var topic: String {
            let length = Int(body[0]) << 8 | Int(body[1])
            return String(decoding: body.dropFirst(2).prefix(length), as: UTF8.self)
        }

        /// The packet identifier of a PUBLISH at QoS 1.
        public var identifier: [UInt8] {
            let topicLength = Int(body[0]) << 8 | Int(body[1])
            return Array(body[(2 + topicLength)..<(4 + topicLength)])
        }
    }

    /// A connection. Every wait ends after five minutes, longer than any test.
    public final class Client {
        private let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }

        /// Sends bytes.
        public func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// Returns the next packet, or nil at the end of the connection or after five minutes without one. On a busy
        /// machine an accepted client may need many seconds for its next packet.
        /// - Parameter pause: Is called before each byte of the body with the number of those before it.
        public func next(pausing pause: (Int) -> Void = { _ in }) -> Packet? {
            guard let type = byte() else { return nil }
            var (length, shift) = (0, 0)
            while true {
                guard let digit = byte(), shift <= 21 else { return nil }
                length |= Int(digit & 127) << shift
                shift += 7
                if digit < 128 { break }
            }
            var body: [UInt8] = []
            while body.count < length {
                pause(body.count)
                guard let one = byte() else { return nil }
                body.append(one)
            }
            return Packet(type: type >> 4, flags: type & 15, body: body)
        }

        /// Returns the next PUBLISH. Answers the pings before it, which a slow client sends.
        public func nextPublication() -> Packet? {
            while let packet = next() {
                if packet.type == 3 { return packet }
                if packet.type == 12 { send([0xD0, 0]) }
            }
            return nil
        }

        /// Limits what the system receives for the script before it reads, bytes.
        public func limitReceiveBuffer(bytes: Int32) {
            var bytes = bytes
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }

        /// The number of bytes that can be read.
        public var waiting: Int {
            var count: Int32 = 0
            _ = ioctl(descriptor, UInt(FIONREAD), &count)
            return Int(count)
        }

        private func byte() -> UInt8? {
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
        }
    }

    /// The listening port, on 127.0.0.1.
    public var port: UInt16 { listener.port }
    private let listener: LoopbackListener

    /// - Parameter script: Runs for each connection on its own thread. The connection closes when it returns.
    public init(_ script: @escaping @Sendable (Client) -> Void) throws {
        listener = try LoopbackListener()
        listener.serve(patienceSeconds: 300) { script(Client($0)) }
    }

    deinit { listener.stop() }
}

extension StubBroker.Packet {
    /// The QoS of a PUBLISH.
    public var qos: Int { Int(flags >> 1 & 3) }

    /// The text of the packet, for tests that search for a word in it.
    public var text: String { String(decoding: body, as: UTF8.self) }
}

extension StubBroker.Client {
    /// Accepts a client and answers it as a broker does: subscriptions, messages and pings.
    /// - Parameters:
    ///   - properties: The properties of the CONNACK, MQTT 5.
    ///   - answers: Whether a packet is answered.
    public func serve(properties: [UInt8] = [], answering answers: (StubBroker.Packet) -> Bool = { _ in true }) {
        guard next() != nil else { return }
        send([0x20, UInt8(3 + properties.count), 0, 0, UInt8(properties.count)] + properties)
        while let packet = next() {
            guard answers(packet) else { continue }
            switch packet.type {
            case 3 where packet.qos > 0: send([0x40, 2] + packet.identifier)
            case 8: send([0x90, 4] + packet.body[0..<2] + [0, 1])
            case 10: send([0xB0, 4] + packet.body[0..<2] + [0, 0x11])
            case 12: send([0xD0, 0])
            default: break
            }
        }
    }
}

extension [UInt8] {
    /// Returns an accepting CONNACK for either protocol version.
    public static func consent(to connect: StubBroker.Packet) -> [UInt8] {
        connect.protocolLevel == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
    }
}
