import Glibc
import OdographSettings
import OdographTerminal

/// The standard output and standard error of the command.
package enum Console {
    /// Whether the standard output is a terminal.
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether the standard error is a terminal.
    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }
    /// Whether the standard input is a terminal.
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether to use colours in the output, see no-color.org.
    package static var isOutputColored: Bool { isOutputTerminal && allowsColor }

    /// Whether the standard output is a terminal on which text can be drawn at any place, see `TERM` in environ(7).
    package static var isOutputScreen: Bool {
        guard isOutputTerminal, let name = getenv("TERM"), name.pointee != 0 else { return false }
        return !isDumb
    }

    private static var isDumb: Bool { getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? false }

    private static var allowsColor: Bool {
        if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
        return !isDumb
    }

    /// Whether the standard error is the systemd journal, which is identified by device and inode, see systemd.exec(5).
    package static var isErrorSystemdJournal: Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// The size of the terminal; nil if the standard output is not a terminal.
    package static var terminalSize: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether the locale permits only ASCII.
    private static let isASCII = ASCIIText.isWanted { name in getenv(name).map { String(cString: $0) } }

    // MARK: Writing

    /// Prints a result. Line feeds and tabs are kept; other control characters are replaced by U+FFFD.
    /// - Throws: `ExitError` if it cannot be written.
    package static func print(_ lines: String) throws(ExitError) {
        try print(TerminalText(lines))
    }

    /// Prints a result that contains control sequences. In a locale without UTF-8 it is in ASCII.
    /// - Throws: `ExitError` if it cannot be written.
    package static func print(_ text: TerminalText) throws(ExitError) {
        try write(shown(text.rendered))
    }

    /// Returns text as the terminal shows it: in a locale without UTF-8 in ASCII, with lines that are not wider than
    /// the terminal if they were not before.
    package static func shown(_ text: String) -> String {
        isASCII ? ASCIIText.text(text, width: terminalSize?.columns) : text
    }

    /// Prints JSON. In a locale without UTF-8, other characters than those of ASCII are escaped.
    /// - Throws: `ExitError` if it cannot be written.
    package static func printJSON(_ lines: String) throws(ExitError) {
        let text = TerminalText(lines).rendered
        try write(isASCII ? ASCIIText.json(text) : text)
    }

    /// Prints a document with a character set of its own, such as a page or a table with commas, in each locale.
    /// - Throws: `ExitError` if it cannot be written.
    package static func printDocument(_ lines: String) throws(ExitError) {
        try write(TerminalText(lines).rendered)
    }

    private static func write(_ text: String) throws(ExitError) {
        try write(Array(text.utf8), to: STDOUT_FILENO, name: "the output")
    }

    fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32, name: String) throws(ExitError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw ExitError(.inputOutput, "cannot write \(name): \(String(cString: strerror(errno)))".printable)
            }
        }
    }

    /// Prints a message to the standard error, as ``print(_:)-(String)`` does. Errors of writing are ignored.
    package static func printMessage(_ lines: String) {
        printMessage(TerminalText(lines))
    }

    /// Prints a message that contains control sequences, in one write, so that lines of several threads do not mix.
    package static func printMessage(_ text: TerminalText) {
        let bytes = Array(shown(text.rendered).utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// Buffers output into large writes.
package struct OutputBuffer: ~Copyable {
    /// The written text.
    package enum Content {
        /// Text for people, see `Console.print`.
        case text
        /// JSON, see `Console.printJSON`.
        case json
        /// A document with a character set of its own, see `Console.printDocument`.
        case document
        /// The bytes of a file, see ``replacing(_:)``.
        case file(path: String, descriptor: Int32)
    }

    private static let capacity = 65_536
    private let content: Content
    private var pending: [UInt8] = []

    /// - Parameter content: What is written.
    package init(_ content: Content) { self.content = content }

    /// Creates a file, or empties an existing one. The file is closed with the buffer; call ``flush()`` before.
    /// - Throws: `ExitError` if it cannot be created.
    package static func replacing(_ path: String) throws(ExitError) -> OutputBuffer {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ExitError(.cannotCreate, "\(path): \(String(cString: strerror(errno)))".printable)
        }
        return OutputBuffer(.file(path: path, descriptor: descriptor))
    }

    deinit {
        if case .file(_, let descriptor) = content { close(descriptor) }
    }

    package mutating func append(_ bytes: [UInt8]) throws(ExitError) {
        pending += bytes
        if pending.count >= Self.capacity { try flush() }
    }

    package mutating func flush() throws(ExitError) {
        switch content {
        case .text: try Console.print(String(decoding: pending, as: UTF8.self))
        case .json: try Console.printJSON(String(decoding: pending, as: UTF8.self))
        case .document: try Console.printDocument(String(decoding: pending, as: UTF8.self))
        case .file(let path, let descriptor): try Console.write(pending, to: descriptor, name: path)
        }
        pending.removeAll(keepingCapacity: true)
    }
}
