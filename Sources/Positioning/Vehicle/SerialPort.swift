import Glibc

/// A serial port or a pseudo terminal, non-blocking, with bytes as they are, and for this program alone.
struct SerialPort: ~Copyable {
    /// A reason why the port cannot be used. The text can complete a sentence.
    struct Failure: Error {
        let reason: String
    }

    /// The type of the constants differs between versions of glibc: newer ones have unsigned constants.
    private static let speeds: [Int: speed_t] = [
        9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 500_000: speed_t(B500000),
    ]

    let descriptor: Int32

    deinit {
        close(descriptor)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a port and sets its rate.
    /// - Parameter bitRate: One of ``ELM327Settings/bitRates``.
    static func opened(path: String, bitRate: Int) throws(Failure) -> SerialPort {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason =
                switch errno {
                case ENOENT: "there is no \(path); connect the adapter, or correct vehicle.elm327.device"
                case EACCES, EPERM: "no permission to open \(path); see Operations"
                default: text(of: errno)
                }
            throw Failure(reason: reason)
        }
        let port = SerialPort(descriptor: descriptor)
        try port.configure(bitRate: bitRate)
        return port
    }

    private func configure(bitRate: Int) throws(Failure) {
        var settings = termios()
        guard let speed = Self.speeds[bitRate], tcgetattr(descriptor, &settings) == 0 else {
            throw Failure(reason: "it is no serial port")
        }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        cfsetspeed(&settings, speed)
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0, ioctl(descriptor, UInt(TIOCEXCL)) == 0 else {
            throw Failure(reason: Self.text(of: errno))
        }
        tcflush(descriptor, TCIOFLUSH)
    }

    /// Returns the bytes that have arrived; empty if there are none.
    func read() throws(Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { return Array(buffer.prefix(count)) }
            if count < 0, errno == EAGAIN { return [] }
            guard count < 0, errno == EINTR else {
                throw Failure(reason: count == 0 ? "it was unplugged" : Self.text(of: errno))
            }
        }
    }

    /// Writes a command. It fits into the queue of the kernel, because each one waits for the answer to the one before.
    func write(_ command: String) throws(Failure) {
        let bytes = Array(command.utf8)
        let count = Glibc.write(descriptor, bytes, bytes.count)
        guard count == bytes.count else { throw Failure(reason: count < 0 ? Self.text(of: errno) : "it is too slow") }
    }

    private static func text(of code: Int32) -> String {
        code == EIO ? "it was unplugged" : String(cString: strerror(code)).lowercased()
    }
}
