import Odograph
import OdographOperator

/// A terminal's second screen, on which something is drawn again and again; what was there before comes back at the end.
struct AlternateScreen {
    init() {
        Self.write(.enterAlternateScreen)
    }

    /// Draws over what is there, without a moment of an empty screen. The last line has no newline, or all would scroll.
    func draw(_ lines: [String]) {
        var text = TerminalText()
        text.append(.cursorHome)
        for (index, line) in lines.enumerated() {
            if index > 0 { text.append(.nextLine) }
            text.append(line.printable)
            text.append(.clearToEndOfLine)
        }
        text.append(.clearToEndOfScreen)
        // A terminal that is gone ends the program by its hang-up signal.
        try? Console.print(text)
    }

    func close() {
        Self.write(.leaveAlternateScreen)
    }

    private static func write(_ sequence: TerminalSequence) {
        var text = TerminalText()
        text.append(sequence)
        try? Console.print(text)
    }
}
