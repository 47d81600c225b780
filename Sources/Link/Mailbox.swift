import Glibc
import Synchronization

/// What other tasks want of the session's thread, and what wakes it.
final class Mailbox: Sendable {
    /// What has come in since the thread looked last.
    struct Contents {
        var outgoing: [OutgoingMessage] = []
        var subscribe: [String] = []
        var unsubscribe: [String] = []
        var isDropWanted = false
        /// Not nil once the session is to stop: the last messages.
        var farewell: [OutgoingMessage]?
    }

    private struct State {
        var contents = Contents()
        var isSignalled = false
        var hasStarted = false
        var isFinished = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// The end of a socket pair that is readable while there is something to take.
    let wakeDescriptor: Int32
    private let signalDescriptor: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        socketpair(AF_UNIX, type, 0, &ends)
        (wakeDescriptor, signalDescriptor) = (ends[0], ends[1])
    }

    deinit {
        close(wakeDescriptor)
        close(signalDescriptor)
    }

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
        if mustSignal { signal() }
        return isAlive
    }

    /// Wakes the thread without a message.
    func signal() {
        var one: UInt8 = 1
        // A full socket wakes as well as one byte does.
        _ = write(signalDescriptor, &one, 1)
    }

    /// Takes all out. Called by the thread only.
    func take() -> Contents {
        var drained: (UInt64, UInt64) = (0, 0)
        _ = read(wakeDescriptor, &drained, 16)
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
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isFinished, state.hasStarted { state.waiters.append(continuation) }
                return state.isFinished || !state.hasStarted
            }
            if isOver { continuation.resume() }
        }
    }

    /// Lets go those that wait for the end, though it has not come.
    func release() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
