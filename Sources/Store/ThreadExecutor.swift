import Dispatch
import Glibc
import Synchronization

/// A serial executor with a thread of its own, so that what waits for the disk never blocks the cooperative pool.
///
/// (`DispatchSerialQueue` is not an executor on Linux.) The thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor {
    private let inbox: Inbox

    /// Starts the thread.
    ///
    /// - Parameter name: What an error calls the thread.
    /// - Throws: `StoreError.unusable` when the system refuses a thread.
    public init(name: String) throws(StoreError) {
        inbox = Inbox()
        guard Self.startThread(serving: inbox) else {
            throw .unusable(
                path: "thread \(name)", reason: "the system starts no further thread; raise the limit (ulimit -u)")
        }
    }

    deinit { inbox.close() }

    /// Puts a job in the queue; the thread runs them in order.
    public func enqueue(_ job: consuming ExecutorJob) {
        inbox.put(Inbox.Entry(job: UnownedJob(job), executor: self))
    }

    /// The executor as the runtime wants it.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private static func startThread(serving inbox: Inbox) -> Bool {
        // Signals are for the main thread: a new thread inherits the mask.
        var everything = sigset_t()
        var previous = sigset_t()
        sigfillset(&everything)
        pthread_sigmask(SIG_SETMASK, &everything, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

        var thread = pthread_t()
        let argument = Unmanaged.passRetained(inbox)
        let status = pthread_create(&thread, nil, serve, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// The jobs that wait for the thread.
private final class Inbox: Sendable {
    /// A job, and the executor it is to run on, kept alive until it has.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
    }

    private struct Contents {
        var waiting: [Entry] = []
        var isClosed = false
    }

    private let contents = Mutex(Contents())
    /// What the thread sleeps on.
    private let bell = DispatchSemaphore(value: 0)

    func put(_ entry: Entry) {
        let wasEmpty = contents.withLock { contents in
            contents.waiting.append(entry)
            return contents.waiting.count == 1
        }
        if wasEmpty { bell.signal() }
    }

    func close() {
        contents.withLock { $0.isClosed = true }
        bell.signal()
    }

    /// Waits for jobs. Nil when there will be no more.
    func take() -> [Entry]? {
        while true {
            let (entries, isClosed) = contents.withLock { contents in
                let entries = contents.waiting
                contents.waiting = []
                return (entries, contents.isClosed)
            }
            if !entries.isEmpty { return entries }
            if isClosed { return nil }
            bell.wait()
        }
    }
}

/// The thread's whole life.
private func serve(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let inbox = Unmanaged<Inbox>.fromOpaque(argument).takeRetainedValue()
    while let entries = inbox.take() {
        for entry in entries {
            entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
        }
    }
    return nil
}
