import OdographCivilTime
import Logging
import OdographModel
import OdographPositioning
import OdographThreads
import OdographWire

/// The current problems of the agent, each code once.
///
/// Several parts can raise one code, each for a reason of its own. The problem ends when all its reasons have ended.
///
/// A call takes effect before it returns: two calls of one caller take effect in their order, on any thread or actor.
/// Therefore this is no actor, and must not be called from a task that is created for the call.
package final class ProblemRegistry: Sendable {
    private struct Entry {
        var since: Timestamp
        /// The reasons with their texts, the one that was raised last at the end.
        var reasons: [(name: String, text: String)] = []

        /// - Returns: Whether the reason existed.
        mutating func remove(_ reason: String) -> Bool {
            let count = reasons.count
            reasons.removeAll { $0.name == reason }
            return reasons.count < count
        }
    }

    private struct State {
        var entries: [Problem.Code: Entry] = [:]
        var observer: (@Sendable () -> Void)?
    }

    private let clock: any AgentClock
    private let state = Lock(State())

    package init(clock: any AgentClock) {
        self.clock = clock
    }

    /// All problems, the oldest first. The text is that of the reason that was raised last.
    package var current: [Problem] {
        let entries = state.withLock { $0.entries }
        return entries.map { Problem(code: $0, text: $1.reasons.last?.text ?? "", since: $1.since) }
            .sorted { ($0.since, $0.code.rawValue) < ($1.since, $1.code.rawValue) }
    }

    /// Sets the function that is called after each problem that appears or disappears. It replaces the earlier one.
    /// - Parameter observer: Called on the thread of the change, so it must be quick. ``current`` then contains the
    ///   change, and perhaps later ones.
    package func setObserver(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Adds a problem, or changes the text of a known one.
    /// - Parameter reason: The name of the reason, if several parts raise the code.
    /// - Returns: Whether the reason is new and should be logged.
    @discardableResult
    package func raise(_ code: Problem.Code, _ text: String, reason: String = "") -> Bool {
        let now = clock.now().systemTime
        let (isNew, observer) = state.withLock { state in
            let isNewProblem = state.entries[code] == nil
            var entry = state.entries[code] ?? Entry(since: now)
            let isNew = !entry.remove(reason)
            entry.reasons.append((reason, text))
            state.entries[code] = entry
            return (isNew, isNewProblem ? state.observer : nil)
        }
        observer?()
        return isNew
    }

    /// Adds a problem, and logs it if its reason is new.
    package func raise(
        _ code: Problem.Code, _ text: String, reason: String = "", at level: Logger.Level, in logger: Logger
    ) {
        if raise(code, text, reason: reason) { logger.log(level: level, "\(text)") }
    }

    /// Removes a reason of a problem, and the problem with its last reason.
    /// - Returns: Whether the reason existed.
    @discardableResult
    package func clear(_ code: Problem.Code, reason: String = "") -> Bool {
        let (wasThere, observer) = state.withLock { state in
            guard state.entries[code]?.remove(reason) == true else { return (false, nil as (@Sendable () -> Void)?) }
            guard state.entries[code]?.reasons.isEmpty == true else { return (true, nil) }
            state.entries[code] = nil
            return (true, state.observer)
        }
        observer?()
        return wasThere
    }
}
