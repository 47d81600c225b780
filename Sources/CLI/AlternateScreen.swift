import Odograph
import OdographConsole
import OdographOperator

/// Draws repeatedly on a terminal's alternate screen. Closing it restores the previous contents.
struct AlternateScreen {
    func open() {
        Self.write(.enterAlternateScreen)
    }

    /// Draws over the previous lines without flicker. The last line has no newline, which would scroll the screen.
    func draw(_ lines: [String]) {
        var text = TerminalText()
        text.append(.cursorHome)
        for (index, line) in lines.enumerated() {
            if index > 0 { text.append(.nextLine) }
            text.append(Console.shown(line.printable))
            text.append(.clearToEndOfLine)
        }
        text.append(.clearToEndOfScreen)
        // A closed terminal ends the program with its hang-up signal.
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
