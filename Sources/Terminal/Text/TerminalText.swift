import OdographSettings

/// Text for a terminal: data, and control sequences of this program.
///
/// Data is made printable when it is added, so that it cannot contain a control sequence.
public struct TerminalText: Hashable, Sendable {
    /// The text to write to the terminal.
    public private(set) var rendered = ""

    /// Creates an empty text.
    public init() {}

    /// - Parameter lines: data, in which line feeds and tabs are kept.
    public init(_ lines: String) {
        append(lines)
    }

    /// - Parameter bytes: data in UTF-8. U+FFFD replaces invalid bytes.
    public init(_ bytes: some Collection<UInt8>) {
        append(String(decoding: bytes, as: UTF8.self))
    }

    /// Appends data, in which line feeds and tabs are kept.
    public mutating func append(_ lines: String) { rendered += lines.printableLines }

    /// Appends a control sequence.
    public mutating func append(_ sequence: TerminalSequence) { rendered += sequence.text }

    /// Appends another text.
    public mutating func append(_ text: TerminalText) { rendered += text.rendered }
}

/// A control sequence. Sources: ECMA-48, and xterm's ctlseqs, which all current terminals support.
public struct TerminalSequence: Hashable, Sendable {
    let text: String

    private init(_ text: String) {
        self.text = text
    }

    /// Selects the default colour.
    public static let reset = TerminalSequence("\u{1B}[0m")
    /// Selects red.
    public static let red = TerminalSequence("\u{1B}[31m")
    /// Selects green.
    public static let green = TerminalSequence("\u{1B}[32m")
    /// Selects yellow.
    public static let yellow = TerminalSequence("\u{1B}[33m")
    /// Selects blue.
    public static let blue = TerminalSequence("\u{1B}[34m")
    /// Selects magenta.
    public static let magenta = TerminalSequence("\u{1B}[35m")
    /// Selects cyan.
    public static let cyan = TerminalSequence("\u{1B}[36m")
    /// Selects gray.
    public static let gray = TerminalSequence("\u{1B}[90m")

    /// Switches to the alternate screen and hides the cursor.
    public static let enterAlternateScreen = TerminalSequence("\u{1B}[?1049h\u{1B}[?25l")
    /// Switches back to the normal screen and shows the cursor.
    public static let leaveAlternateScreen = TerminalSequence("\u{1B}[?25h\u{1B}[?1049l")
    /// Moves the cursor to the top left.
    public static let cursorHome = TerminalSequence("\u{1B}[H")
    /// Clears from the cursor to the end of the line.
    public static let clearToEndOfLine = TerminalSequence("\u{1B}[K")
    /// Clears from the cursor to the end of the screen.
    public static let clearToEndOfScreen = TerminalSequence("\u{1B}[J")
    /// Moves the cursor to the beginning of the next line.
    public static let nextLine = TerminalSequence("\r\n")
    /// Clears a line of up to 78 characters, also on a terminal without escape sequences.
    public static let clearLine = TerminalSequence("\r" + String(repeating: " ", count: 78) + "\r")
}
