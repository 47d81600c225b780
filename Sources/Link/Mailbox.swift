import Threads

/// What other tasks want of the session's thread, and what wakes it.
final class Mailbox: Sendable {
    /// What has come in since the thread looked last.
    struct Contents {
        var outgoing: [OutgoingMessage] = []
        var subscribeFilters: [String] = []
        var unsubscribeFilters: [String] = []
        var isReconnectRequested = false
        /// Whether the owner wants to know that the thread goes on.
        var isProbeRequested = false
        /// Not nil once the session is to stop: the last messages.
        var disconnectMessages: [OutgoingMessage]?
    }

    private struct State {
        var contents = Contents()
        var isSignalled = false
        var hasStarted = false
        var isFinished = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    /// What the thread sleeps on; nil where the process has no descriptor left: then it looks when its time comes.
    private let waker = PollWaker()

    /// For `poll`.
    var wakeDescriptor: Int32 { waker?.readDescriptor ?? -1 }

    /// Changes the contents and wakes the thread.
    /// - Returns: false where the thread has ended and nobody will look.
    @discardableResult
    func post(_ change: (inout Contents) -> Void) -> Bool {
        let (isAlive, mustSignal) = state.withLock { state -> (Bool, Bool) in
            guard !state.isFinished else { return (false, false) }
            change(&state.contents)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if mustSignal { wake() }
        return isAlive
    }

    /// Wakes the thread without a message.
    func wake() {
        waker?.wake()
    }

    /// Takes all out. Called by the thread only.
    func removeAll() -> Contents {
        waker?.clear()
        return state.withLock { state in
            state.isSignalled = false
            defer { state.contents = Contents() }
            return state.contents
        }
    }

    /// - Returns: whether the thread should be started: true the first time.
    func claimStart() -> Bool {
        state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
    }

    /// Ends the mailbox: later posts are refused, and those that wait for the end go on.
    /// - Returns: what had come in.
    func finish() -> Contents {
        let (contents, waiters) = state.withLock { state in
            state.isFinished = true
            defer { (state.waiters, state.contents) = ([], Contents()) }
            return (state.contents, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return contents
    }

    /// Waits until the thread has ended, or until `release()`.
    func waitUntilFinished() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isFinished, state.hasStarted { state.waiters.append(continuation) }
                return state.isFinished || !state.hasStarted
            }
            if isOver { continuation.resume() }
        }
    }

    /// Lets go those that wait for the end, though it has not come.
    func releaseWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
