import COdographCAN
import Glibc
import OdographVehicleBus

/// A raw CAN socket of the kernel (SocketCAN), non-blocking.
struct CANSocket: ~Copyable {
    /// A reason why the interface cannot be used. The text can complete a sentence.
    struct Failure: Error {
        let reason: String
    }

    /// A message of the kernel.
    enum Message {
        case frame(CANFrame)
        /// The controller has left the bus after too many errors.
        case busOff
        /// A frame that is not used: remote, malformed, or of another kind.
        case other
    }

    /// The size of the kernel's structure of a frame, bytes.
    private static let frameSize = MemoryLayout<can_frame>.size
    // The header defines these as unsigned numbers that Swift does not import.
    private static let extendedFlag: UInt32 = 0x8000_0000
    private static let remoteFlag: UInt32 = 0x4000_0000
    private static let errorFlag: UInt32 = 0x2000_0000

    let descriptor: Int32
    private let interface: String

    deinit {
        close(descriptor)
    }

    private init(descriptor: Int32, interface: String) {
        self.descriptor = descriptor
        self.interface = interface
    }

    /// Opens a socket on an interface and installs the filters.
    static func opened(interface: String, filters: [CANFilter]) throws(Failure) -> CANSocket {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(PF_CAN, type, CAN_RAW)
        guard descriptor >= 0 else { throw failure(errno, interface) }
        let socket = CANSocket(descriptor: descriptor, interface: interface)
        // Before the socket is bound, so that no other frame arrives.
        try socket.install(filters)
        try socket.bind()
        return socket
    }

    private func bind() throws(Failure) {
        let index = if_nametoindex(interface)
        guard index != 0 else { throw Self.failure(ENODEV, interface) }
        var address = sockaddr_can()
        address.can_family = sa_family_t(AF_CAN)
        address.can_ifindex = Int32(index)
        let size = socklen_t(MemoryLayout<sockaddr_can>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
        }
        guard code == 0 else { throw Self.failure(errno, interface) }
    }

    private func install(_ filters: [CANFilter]) throws(Failure) {
        var list = filters.map { filter in
            can_filter(
                can_id: filter.identifier | (filter.isExtended ? Self.extendedFlag : 0),
                can_mask: filter.mask | Self.extendedFlag | Self.remoteFlag)
        }
        var errors = UInt32(CAN_ERR_BUSOFF)
        let level = SOL_CAN_BASE + CAN_RAW
        let size = socklen_t(list.count * MemoryLayout<can_filter>.stride)
        guard setsockopt(descriptor, level, Int32(CAN_RAW_FILTER), &list, size) == 0,
            setsockopt(descriptor, level, Int32(CAN_RAW_ERR_FILTER), &errors, 4) == 0
        else { throw Self.failure(errno, interface) }
    }

    /// Returns the next message; nil if there is none yet.
    func read() throws(Failure) -> Message? {
        var raw = can_frame()
        while true {
            let count = Glibc.read(descriptor, &raw, Self.frameSize)
            if count == Self.frameSize { return Self.message(raw) }
            if count >= 0 { return .other }
            if errno == EAGAIN { return nil }
            guard errno == EINTR else { throw Self.failure(errno, interface) }
        }
    }

    private static func message(_ raw: can_frame) -> Message {
        guard raw.can_id & errorFlag == 0 else {
            return raw.can_id & UInt32(CAN_ERR_BUSOFF) == 0 ? .other : .busOff
        }
        guard raw.can_id & remoteFlag == 0 else { return .other }
        let isExtended = raw.can_id & extendedFlag != 0
        let mask = isExtended ? CANFrame.maximumExtendedIdentifier : CANFrame.maximumStandardIdentifier
        let bytes = withUnsafeBytes(of: raw.data) { $0.prefix(Int(raw.len)).map(\.self) }
        return CANFrame(identifier: raw.can_id & mask, isExtended: isExtended, bytes: bytes).map { .frame($0) }
            ?? .other
    }

    /// Sends a frame. A full queue drops it: without another node no frame is acknowledged, and the queue stays full.
    func send(_ frame: CANFrame) throws(Failure) {
        var raw = can_frame()
        raw.can_id = frame.identifier | (frame.isExtended ? Self.extendedFlag : 0)
        raw.len = UInt8(frame.byteCount)
        withUnsafeMutableBytes(of: &raw.data) { $0.copyBytes(from: frame.bytes) }
        let count = Glibc.write(descriptor, &raw, Self.frameSize)
        if count < 0, errno != ENOBUFS, errno != EAGAIN, errno != EINTR { throw Self.failure(errno, interface) }
    }

    private static func failure(_ code: Int32, _ interface: String) -> Failure {
        let reason =
            switch code {
            case ENODEV: "there is no CAN interface \(interface); connect the adapter, or correct vehicle.can.interface"
            case ENETDOWN: "the interface \(interface) is down; set its bit rate and set it up with ip link"
            case EAFNOSUPPORT: "CAN sockets are not permitted, or the kernel has none; see Operations, and load can-raw"
            default: String(cString: strerror(code)).lowercased()
            }
        return Failure(reason: reason)
    }
}
