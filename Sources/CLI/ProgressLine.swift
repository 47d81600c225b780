import Glibc
import Odograph
import OdographOperator

/// A line on the terminal that says how far a long piece of work is. Nothing where nobody looks.
struct ProgressLine {
    private static let intervalSeconds = 0.2
    /// The narrowest terminal that anybody has.
    private static let width = 78
    /// Takes the line away, and puts another one there.
    static func draw(_ text: String) {
        var line = TerminalText()
        line.append(.clearLine)
        line.append(text.prefix(width).printable)
        Console.printMessage(line)
    }

    /// Whether there is somebody to show it to.
    let isShown: Bool
    private let start = ContinuousClock.now
    private var lastUpdate: ContinuousClock.Instant
    private var isDrawn = false

    /// - Parameter isShown: whether the line would disturb nothing else.
    init(isShown: Bool) {
        self.isShown = isShown
        lastUpdate = start
    }

    /// How long it has taken, seconds.
    private var seconds: Double {
        let elapsed = start.duration(to: .now).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }

    /// Draws the line again, if it is time.
    /// - Parameter text: Is given how long it has taken, seconds.
    mutating func update(_ text: (_ seconds: Double) -> String) {
        guard isShown, lastUpdate.duration(to: .now) >= .seconds(Self.intervalSeconds) else { return }
        lastUpdate = .now
        isDrawn = true
        Self.draw(text(seconds))
    }

    /// Takes the line away.
    mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        Self.draw("")
    }
}
