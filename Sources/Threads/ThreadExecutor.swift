import Glibc

/// A serial executor with a thread of its own, so that what waits for the disk never blocks the cooperative pool.
///
/// (`DispatchSerialQueue` is not an executor on Linux.) The thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor {
    private let queue: JobQueue

    /// Starts the thread.
    ///
    /// - Returns: nil where the system has no thread left.
    public init?() {
        let inbox = JobQueue()
        self.queue = inbox
        guard WorkerThread.start({ inbox.run() }) else { return nil }
    }

    deinit { queue.close() }

    /// Puts a job in the queue; the thread runs them in order.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.enqueue(JobQueue.Entry(job: UnownedJob(job), executor: self, taskExecutor: nil))
    }

    /// Puts a job of a task in the queue that prefers the thread where it is isolated to no actor.
    fileprivate func enqueue(_ job: UnownedJob, for tasks: ThreadTaskExecutor) {
        queue.enqueue(JobQueue.Entry(job: job, executor: self, taskExecutor: tasks))
    }

    /// The executor as the runtime wants it.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// The thread of a ``ThreadExecutor`` as the place of a whole task: what the task does outside of actors, it does there.
///
/// A task that serves an actor of that thread thus stays on it; otherwise each wait of its own wakes a thread of the
/// language's pool as well.
public final class ThreadTaskExecutor: TaskExecutor {
    private let executor: ThreadExecutor

    /// - Parameter executor: whose thread it is; kept alive.
    public init(_ executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Puts a job in the thread's queue; it runs them all in order.
    public func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(UnownedJob(job), for: self)
    }
}

/// The jobs that wait for the thread.
private final class JobQueue: Sendable {
    /// A job, and the executor it is to run on, kept alive until it has.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
        /// Where it is the task's own, and no actor's.
        let taskExecutor: ThreadTaskExecutor?

        func run() {
            if let taskExecutor {
                job.runSynchronously(on: taskExecutor.asUnownedTaskExecutor())
            } else {
                job.runSynchronously(on: executor.asUnownedSerialExecutor())
            }
        }
    }

    private struct Contents {
        var waiting: [Entry] = []
        var isClosed = false
    }

    private let contents = Lock(Contents())
    /// What the thread sleeps on.
    private let semaphore = Semaphore()

    func enqueue(_ entry: Entry) {
        let wasEmpty = contents.withLock { contents in
            contents.waiting.append(entry)
            return contents.waiting.count == 1
        }
        if wasEmpty { semaphore.signal() }
    }

    func close() {
        contents.withLock { $0.isClosed = true }
        semaphore.signal()
    }

    /// The thread's whole life.
    func run() {
        while let entries = dequeueAll() {
            for entry in entries { entry.run() }
        }
    }

    /// Waits for jobs. Nil when there will be no more.
    private func dequeueAll() -> [Entry]? {
        while true {
            let (entries, isClosed) = contents.withLock { contents in
                let entries = contents.waiting
                contents.waiting = []
                return (entries, contents.isClosed)
            }
            if !entries.isEmpty { return entries }
            if isClosed { return nil }
            semaphore.wait()
        }
    }
}

/// A semaphore, see sem_init(3).
private final class Semaphore: Sendable {
    private let address: UInt

    init() {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
        address = UInt(bitPattern: semaphore)
    }

    deinit {
        guard let semaphore else { return }
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() {
        if let semaphore { sem_post(semaphore) }
    }

    func wait() {
        guard let semaphore else { return }
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    private var semaphore: UnsafeMutablePointer<sem_t>? { UnsafeMutablePointer(bitPattern: address) }
}
