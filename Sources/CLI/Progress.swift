import Glibc
import Odograph

/// A line on the terminal that says how far a long piece of work is. Nothing where nobody looks.
struct Progress {
    private static let intervalSeconds = 0.2
    /// The narrowest terminal that anybody has.
    private static let width = 78
    /// Takes the line away, and puts another one there.
    static func note(_ text: String) {
        var line = TerminalText()
        line.append(.clearLine)
        line.append(text.prefix(width).printable)
        Console.note(line)
    }

    /// Whether there is somebody to show it to.
    let isShown: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant
    private var hasDrawn = false

    /// - Parameter isShown: whether the line would disturb nothing else.
    init(isShown: Bool) {
        self.isShown = isShown
        last = start
    }

    /// How long it has taken, seconds.
    private var seconds: Double {
        let elapsed = start.duration(to: .now).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }

    /// Draws the line again, if it is time.
    /// - Parameter text: Is given how long it has taken, seconds.
    mutating func update(_ text: (_ seconds: Double) -> String) {
        guard isShown, last.duration(to: .now) >= .seconds(Self.intervalSeconds) else { return }
        last = .now
        hasDrawn = true
        Self.note(text(seconds))
    }

    /// Takes the line away.
    mutating func clear() {
        guard hasDrawn else { return }
        hasDrawn = false
        Self.note("")
    }
}
