import Glibc
import Odograph

/// A terminal's second screen, on which something is drawn again and again; what was there before comes back at the end.
///
/// Source of the sequences: xterm's ctlseqs, which every terminal of today knows.
struct LiveScreen {
    init() {
        // The second screen, and no cursor.
        Self.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Draws over what is there, without a moment of an empty screen. The last line has no newline, or all would scroll.
    func draw(_ lines: [String]) {
        Self.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    func close() {
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
    }

    private static func write(_ text: String) {
        // A terminal that is gone ends the program by its hang-up signal.
        try? Console.write(Array(text.utf8)[...])
    }
}

extension Console {
    /// The terminal's size; the classical one where it does not say.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
