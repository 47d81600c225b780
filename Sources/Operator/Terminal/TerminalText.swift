import Odograph

/// Text for a terminal: data, and between it control sequences, which are this program's own.
///
/// Data is made fit to be shown as it is added, so that no control sequence can come from it.
public struct TerminalText: Hashable, Sendable {
    /// What is written to the terminal.
    public private(set) var rendered = ""

    /// No text.
    public init() {}

    /// - Parameter lines: data; its line feeds and tabs are the program's.
    public init(_ lines: String) {
        append(lines)
    }

    /// - Parameter bytes: the same as UTF-8; U+FFFD stands for what is none.
    public init(_ bytes: some Collection<UInt8>) {
        append(String(decoding: bytes, as: UTF8.self))
    }

    /// Adds data; its line feeds and tabs are the program's.
    public mutating func append(_ lines: String) { rendered += lines.printableLines }

    /// Adds a control sequence.
    public mutating func append(_ sequence: TerminalSequence) { rendered += sequence.text }

    /// Adds what was put together elsewhere.
    public mutating func append(_ text: TerminalText) { rendered += text.rendered }
}

/// A control sequence that this program writes. Sources: ECMA-48, and xterm's ctlseqs, which every terminal of today knows.
public struct TerminalSequence: Hashable, Sendable {
    let text: String

    private init(_ text: String) {
        self.text = text
    }

    /// The usual colour.
    public static let reset = TerminalSequence("\u{1B}[0m")
    /// A colour.
    public static let red = TerminalSequence("\u{1B}[31m")
    /// A colour.
    public static let green = TerminalSequence("\u{1B}[32m")
    /// A colour.
    public static let yellow = TerminalSequence("\u{1B}[33m")
    /// A colour.
    public static let blue = TerminalSequence("\u{1B}[34m")
    /// A colour.
    public static let magenta = TerminalSequence("\u{1B}[35m")
    /// A colour.
    public static let cyan = TerminalSequence("\u{1B}[36m")
    /// A colour.
    public static let gray = TerminalSequence("\u{1B}[90m")

    /// The second screen, without a cursor.
    public static let enterAlternateScreen = TerminalSequence("\u{1B}[?1049h\u{1B}[?25l")
    /// The first screen again, as it was.
    public static let leaveAlternateScreen = TerminalSequence("\u{1B}[?25h\u{1B}[?1049l")
    /// The cursor goes to the top left.
    public static let cursorHome = TerminalSequence("\u{1B}[H")
    /// Clears what is right of the cursor.
    public static let clearToEndOfLine = TerminalSequence("\u{1B}[K")
    /// Clears what is behind and below the cursor.
    public static let clearToEndOfScreen = TerminalSequence("\u{1B}[J")
    /// The cursor goes to the beginning of the next line.
    public static let nextLine = TerminalSequence("\r\n")
    /// Clears a line of up to 78 characters, also on a terminal that knows no escape sequences.
    public static let clearLine = TerminalSequence("\r" + String(repeating: " ", count: 78) + "\r")
}
