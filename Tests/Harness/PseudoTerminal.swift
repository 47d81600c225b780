import Glibc
import OdographThreads

/// A program on a terminal of its own, whose keys a test presses. It is killed when the last reference is released.
public final class PseudoTerminal: Sendable {
    /// The process identifier of the program, which is also its session.
    public let identifier: pid_t
    /// TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), and POSIX_SPAWN_SETSID, which the module of the C library lacks.
    private static let (lock, number, newSession): (UInt, UInt, Int16) = (0x4004_5431, 0x8004_5430, 0x80)

    private let descriptor: Int32
    private let received = Lock<[UInt8]>([])
    private let ending = Lock<Int32?>(nil)

    /// Starts a program.
    /// - Parameters:
    ///   - program: A path, or a name to look for in `PATH`.
    ///   - columns: The width of the terminal, characters.
    ///   - rows: The height of the terminal, lines.
    ///   - environment: Variables that are added to the environment of this process.
    public init(
        _ program: String, _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24,
        environment: [String: String] = [:]
    ) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        guard descriptor >= 0, ioctl(descriptor, Self.lock, &isLocked) == 0,
            ioctl(descriptor, Self.number, &number) == 0
        else { throw HarnessError.system("cannot open a terminal", errno) }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens controls it.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        identifier = try ChildProcess.spawn(
            program, arguments, environment, &actions, flags: Self.newSession)
    }

    deinit {
        if poll() == nil {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
        }
        close(descriptor)
    }

    /// All that the program has written.
    public var output: String {
        received.withLock { bytes in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Drops the output so far, so that a condition sees only the output of the next step.
    public func forget() {
        _ = output
        received.withLock { $0.removeAll() }
    }

    /// Presses keys.
    public func type(_ keys: String) { _ = write(descriptor, keys, keys.utf8.count) }

    /// Changes the size of the terminal, of which the program gets SIGWINCH.
    public func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Whether the terminal echoes keys and waits for whole lines, as for a shell.
    public var isCooked: Bool {
        var settings = termios()
        tcgetattr(descriptor, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// Returns the exit code of the program, 256 and the number of the signal that ended it, or nil while it runs.
    public func poll() -> Int32? {
        _ = output
        return ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            let signal = status & 0x7F
            ending = signal == 0 ? (status >> 8) & 0xFF : 256 + signal
            return ending
        }
    }
}
