import OdographCivilTime
import Logging
import OdographModel
import OdographPositioning
import OdographThreads
import OdographWire

/// The current problems of the agent, each code once.
///
/// A call takes effect before it returns: two calls of one caller take effect in their order, on any thread or actor.
/// Therefore this is no actor, and must not be called from a task that is created for the call.
package final class ProblemRegistry: Sendable {
    private struct State {
        var problems: [Problem.Code: Problem] = [:]
        var observer: (@Sendable () -> Void)?
    }

    private let clock: any AgentClock
    private let state = Lock(State())

    package init(clock: any AgentClock) {
        self.clock = clock
    }

    /// All problems, the oldest first.
    package var current: [Problem] {
        state.withLock { $0.problems.values.sorted { ($0.since, $0.code.rawValue) < ($1.since, $1.code.rawValue) } }
    }

    /// Sets the function that is called after each problem that appears or disappears. It replaces the earlier one.
    /// - Parameter observer: Called on the thread of the change, so it must be quick. ``current`` then contains the
    ///   change, and perhaps later ones.
    package func setObserver(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Adds a problem, or changes the text of a known one.
    /// - Returns: Whether the problem is new and should be logged.
    @discardableResult
    package func raise(_ code: Problem.Code, _ text: String) -> Bool {
        let now = clock.now().systemTime
        let (isNew, observer) = state.withLock { state in
            let since = state.problems[code]?.since
            state.problems[code] = Problem(code: code, text: text, since: since ?? now)
            return (since == nil, state.observer)
        }
        if isNew { observer?() }
        return isNew
    }

    /// Adds a problem, and logs it if it is new.
    package func raise(_ code: Problem.Code, _ text: String, at level: Logger.Level, in logger: Logger) {
        if raise(code, text) { logger.log(level: level, "\(text)") }
    }

    /// Removes a problem.
    /// - Returns: Whether it existed.
    @discardableResult
    package func clear(_ code: Problem.Code) -> Bool {
        let (wasThere, observer) = state.withLock { state in
            (state.problems.removeValue(forKey: code) != nil, state.observer)
        }
        if wasThere { observer?() }
        return wasThere
    }
}
