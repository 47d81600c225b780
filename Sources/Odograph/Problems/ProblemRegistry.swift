import CivilTime
import Logging
import Positioning
import Threads
import Wire

/// The problems that the agent has at present, each code once.
///
/// A call takes effect before it returns: two calls of one caller take effect in their order, whichever thread or actor
/// they are made on. So it must be neither an actor nor be called from a task that is made for the call.
package final class ProblemRegistry: Sendable {
    private struct State {
        var problems: [ProblemCode: Problem] = [:]
        var observer: (@Sendable () -> Void)?
    }

    private let clock: any AgentClock
    private let state = Lock(State())

    package init(clock: any AgentClock) {
        self.clock = clock
    }

    /// All problems, the oldest first.
    package var current: [Problem] {
        state.withLock { $0.problems.values.sorted { ($0.since, $0.code) < ($1.since, $1.code) } }
    }

    /// Calls a function after each problem that appears or disappears, in place of the function before.
    /// - Parameter observer: called on the thread of the change, so it must be quick. It finds the change in ``current``, and
    ///   perhaps later changes as well.
    package func setObserver(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Adds a problem, or gives a known one another text.
    /// - Returns: whether the problem is new, so that it is to be logged.
    @discardableResult
    package func raise(_ code: ProblemCode, _ text: String) -> Bool {
        let now = clock.now().systemTime
        let (isNew, observer) = state.withLock { state in
            let since = state.problems[code]?.since
            state.problems[code] = Problem(code: code.rawValue, text: text, since: since ?? now)
            return (since == nil, state.observer)
        }
        if isNew { observer?() }
        return isNew
    }

    /// Adds a problem, and logs it where it is new.
    package func raise(_ code: ProblemCode, _ text: String, at level: Logger.Level, in logger: Logger) {
        if raise(code, text) { logger.log(level: level, "\(text)") }
    }

    /// Removes a problem.
    /// - Returns: whether it was there.
    @discardableResult
    package func clear(_ code: ProblemCode) -> Bool {
        let (wasThere, observer) = state.withLock { state in
            (state.problems.removeValue(forKey: code) != nil, state.observer)
        }
        if wasThere { observer?() }
        return wasThere
    }
}
