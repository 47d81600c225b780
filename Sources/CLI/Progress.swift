import Glibc
import Odograph

/// A line on the terminal that says how far a long piece of work is. Nothing where nobody looks.
struct Progress {
    private static let intervalSeconds = 0.2
    /// The narrowest terminal that anybody has.
    private static let width = 78
    /// Takes a line away on every terminal, also on one that knows no escape sequences.
    static let blank = "\r" + String(repeating: " ", count: width) + "\r"

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
        Console.note(Self.blank + text(seconds).prefix(Self.width))
    }

    /// Takes the line away.
    mutating func clear() {
        guard hasDrawn else { return }
        hasDrawn = false
        Console.note(Self.blank)
    }
}
