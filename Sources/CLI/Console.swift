import Glibc
import Odograph
import OdographOperator

/// The terminal, or what stands in its place. Whatever the command writes goes through here.
enum Console {
    /// Whether a person looks at what is printed.
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether a person looks at the messages.
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether output may be coloured, see no-color.org.
    static var isOutputColored: Bool { isOutputTerminal && allowsColor }

    private static var allowsColor: Bool {
        if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
        return getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? true
    }

    /// Whether the messages go to the journal: the service manager names its device and inode, see systemd.exec(5).
    static var isErrorSystemdJournal: Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// The terminal's size; nil where the output is none.
    static var terminalSize: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    // MARK: Writing

    /// Prints a result. Line feeds are the program's; other control characters are made visible.
    /// - Throws: `Failure` where it cannot be written.
    static func print(_ lines: String) throws(ExitError) {
        try print(TerminalText(lines))
    }

    /// Prints a result that has control sequences of this program in it.
    /// - Throws: `Failure` where it cannot be written.
    static func print(_ text: TerminalText) throws(ExitError) {
        var rest = Array(text.rendered.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw ExitError(.inputOutput, "the output cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Prints a message beside the result, as ``print(_:)-(String)`` does. There is nowhere to say that it cannot be written.
    static func printMessage(_ lines: String) {
        printMessage(TerminalText(lines))
    }

    /// Prints a message that has control sequences of this program in it. One write: lines of several threads do not mix.
    static func printMessage(_ text: TerminalText) {
        let bytes = Array(text.rendered.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// Output in large pieces.
struct OutputBuffer: ~Copyable {
    private static let capacity = 65_536
    private var pending: [UInt8] = []

    mutating func append(_ bytes: [UInt8]) throws(ExitError) {
        pending += bytes
        if pending.count >= Self.capacity { try flush() }
    }

    mutating func flush() throws(ExitError) {
        try Console.print(TerminalText(pending))
        pending.removeAll(keepingCapacity: true)
    }
}
