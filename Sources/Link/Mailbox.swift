import OdographThreads

/// The requests of other tasks to the client's thread, and the signal that wakes it.
final class Mailbox: Sendable {
    /// A change of what the client is subscribed to.
    enum SubscriptionChange {
        case subscribe(String)
        case unsubscribe(String)
    }

    /// The requests since the thread last read them.
    struct Contents {
        var outgoing: [OutgoingMessage] = []
        var subscriptionChanges: [SubscriptionChange] = []
        var isReconnectRequested = false
        /// The bytes after which counted traffic is reported, or nil in it for no count; nil if there is no such
        /// request.
        var trafficReportBytes: Int64??
        /// The new brokers, at least one; nil if there is no such request.
        var endpoints: [LinkConfiguration.Endpoint]?
        /// Whether the first broker accepts connections again.
        var isFirstBrokerBack = false
        /// Whether the owner asks for a sign that the thread is running.
        var isProbeRequested = false
        /// The last messages; not nil once the client is to stop.
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
    /// The signal that the thread waits for; nil if the process had no descriptor left. Without it the client does not
    /// start: requests would not wake the thread.
    private let waker: PollWaker?

    init(waker: PollWaker? = PollWaker()) { self.waker = waker }

    /// Whether requests wake the thread.
    var canWake: Bool { waker != nil }

    /// The descriptor for `poll`; −1 if there is none.
    var wakeDescriptor: Int32 { waker?.readDescriptor ?? -1 }

    /// Changes the contents and wakes the thread. Returns false if the thread has ended and the change is discarded.
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

    /// Wakes the thread without a request.
    func wake() {
        waker?.wake()
    }

    /// Removes and returns the contents. Only the thread may call it.
    func removeAll() -> Contents {
        waker?.clear()
        return state.withLock { state in
            state.isSignalled = false
            defer { state.contents = Contents() }
            return state.contents
        }
    }

    /// Returns whether the caller should start the thread: true only the first time.
    func claimStart() -> Bool {
        state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
    }

    /// Closes the mailbox and returns the remaining contents. Later posts are refused, and the tasks in
    /// `waitUntilFinished()` resume.
    func finish() -> Contents {
        let (contents, waiters) = state.withLock { state in
            state.isFinished = true
            defer { (state.waiters, state.contents) = ([], Contents()) }
            return (state.contents, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return contents
    }

    /// Waits until the thread has ended, or until `releaseWaiters()`.
    func waitUntilFinished() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isFinished, state.hasStarted { state.waiters.append(continuation) }
                return state.isFinished || !state.hasStarted
            }
            if isOver { continuation.resume() }
        }
    }

    /// Resumes the tasks in `waitUntilFinished()` although the thread has not ended.
    func releaseWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
