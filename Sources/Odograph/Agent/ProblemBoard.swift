import CivilTime
import Logging
import Positioning
import Wire

/// What is wrong with the agent at present, each thing once.
actor ProblemBoard {
    private let clock: any AgentClock
    private var problems: [ProblemCode: Problem] = [:]
    private var observer: (@Sendable () -> Void)?

    init(clock: any AgentClock) {
        self.clock = clock
    }

    /// All of them, the oldest first.
    var current: [Problem] {
        problems.values.sorted { ($0.since, $0.code) < ($1.since, $1.code) }
    }

    /// Has somebody told of every change.
    func observe(_ observer: @escaping @Sendable () -> Void) {
        self.observer = observer
    }

    /// Something is wrong.
    /// - Returns: whether it was not known yet: the time to log it.
    @discardableResult
    func raise(_ code: ProblemCode, _ text: String) -> Bool {
        if var known = problems[code] {
            guard known.text != text else { return false }
            known.text = text
            problems[code] = known
            return false
        }
        problems[code] = Problem(code: code.rawValue, text: text, since: clock.now().systemTime)
        observer?()
        return true
    }

    /// Something is wrong, and the log says so the first time.
    func raise(_ code: ProblemCode, _ text: String, at level: Logger.Level, in logger: Logger) {
        if raise(code, text) { logger.log(level: level, "\(text)") }
    }

    /// It is no longer wrong.
    /// - Returns: whether it was.
    @discardableResult
    func settle(_ code: ProblemCode) -> Bool {
        guard problems.removeValue(forKey: code) != nil else { return false }
        observer?()
        return true
    }
}
