import Glibc
import OdographOperator
import Synchronization

/// Set by the handlers of signals, which may only do this.
private let isStopRequested = Atomic(false)
private let isContinued = Atomic(false)

/// The terminal of a live screen: keys without the Return key and without an echo, on the alternate screen. Ctrl-Z
/// stops the program and restores the terminal until it goes on.
final class LiveTerminal {
    /// The time in which the signal that stops the program takes effect, microseconds.
    private static let stopMicroseconds: UInt32 = 200_000

    private let screen = AlternateScreen()
    private var saved: termios?
    private var hasInput = isatty(STDIN_FILENO) == 1

    init() {
        // The values exist before a handler uses them.
        isStopRequested.store(false, ordering: .relaxed)
        isContinued.store(false, ordering: .relaxed)
        Self.trapSignals()
        begin()
    }

    /// Restores the terminal.
    func close() {
        end()
        signal(SIGTSTP, SIG_DFL)
        signal(SIGCONT, SIG_DFL)
    }

    func draw(_ lines: [String]) { screen.draw(lines) }

    /// Stops the program if a person asks for it (Ctrl-Z).
    /// - Returns: whether the screen must be drawn again, because another program had the terminal.
    func handleSignals() -> Bool {
        if isStopRequested.exchange(false, ordering: .relaxed) {
            end()
            isContinued.store(false, ordering: .relaxed)
            signal(SIGTSTP, SIG_DFL)
            kill(getpid(), SIGTSTP)
            // The signal can reach another thread after this one has gone on. Without a shell, nothing stops.
            var waited: UInt32 = 0
            while !isContinued.load(ordering: .relaxed), waited < Self.stopMicroseconds {
                usleep(10_000)
                waited += 10_000
            }
            isContinued.store(false, ordering: .relaxed)
            Self.trapSignals()
            begin()
            return true
        }
        guard isContinued.exchange(false, ordering: .relaxed) else { return false }
        // Stopped by a signal that cannot be handled: the shell has changed the settings.
        begin()
        return true
    }

    /// Returns the keys since the last call.
    func keys() -> [TerminalKey] {
        var bytes: [UInt8] = []
        while hasInput {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 0) > 0 else { break }
            var chunk = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count > 0 { bytes += chunk[..<count] } else if count == 0 || errno != EINTR { hasInput = false }
        }
        return TerminalKey.keys(bytes)
    }

    private static func trapSignals() {
        signal(SIGTSTP) { _ in isStopRequested.store(true, ordering: .relaxed) }
        signal(SIGCONT) { _ in isContinued.store(true, ordering: .relaxed) }
    }

    private func begin() {
        var settings = termios()
        if hasInput, tcgetattr(STDIN_FILENO, &settings) == 0 {
            saved = saved ?? settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        screen.open()
    }

    private func end() {
        screen.close()
        if var saved { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
    }
}
