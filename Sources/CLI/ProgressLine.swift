import Glibc
import Odograph
import OdographConsole
import OdographOperator

/// A line on the terminal with the progress of a long operation.
struct ProgressLine {
    private static let intervalSeconds = 0.2
    /// The maximum width, one that fits every terminal.
    private static let width = 78
    /// Replaces the line by another one.
    static func draw(_ text: String) {
        var line = TerminalText()
        line.append(.clearLine)
        line.append(Console.shown(text.prefix(width).printable))
        Console.printMessage(line)
    }

    /// Whether the line is shown.
    let isShown: Bool
    private let start = ContinuousClock.now
    private var lastUpdate: ContinuousClock.Instant
    private var isDrawn = false

    /// - Parameter isShown: whether the line is shown. It must not disturb other output.
    init(isShown: Bool) {
        self.isShown = isShown
        lastUpdate = start
    }

    /// The time since the start, seconds.
    private var seconds: Double {
        let elapsed = start.duration(to: .now).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }

    /// Draws the line again if the interval since the last drawing is over.
    /// - Parameter text: returns the text for the time since the start, seconds.
    mutating func update(_ text: (_ seconds: Double) -> String) {
        guard isShown, lastUpdate.duration(to: .now) >= .seconds(Self.intervalSeconds) else { return }
        lastUpdate = .now
        isDrawn = true
        Self.draw(text(seconds))
    }

    /// Removes the line.
    mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        Self.draw("")
    }
}
