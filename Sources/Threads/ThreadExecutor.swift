import Glibc

/// A serial executor with its own thread, so that waiting for the disk does not block the cooperative pool.
///
/// `DispatchSerialQueue` is not an executor on Linux. The thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor {
    private let queue: JobQueue

    /// Starts the thread.
    /// - Throws: `ThreadLimitError` if the system cannot create one.
    public init() throws(ThreadLimitError) {
        let inbox = JobQueue()
        self.queue = inbox
        guard WorkerThread.start({ inbox.run() }) else { throw ThreadLimitError() }
    }

    deinit { queue.close() }

    /// Adds a job to the queue. The thread runs the jobs in order.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.enqueue(JobQueue.Entry(job: UnownedJob(job), executor: self, taskExecutor: nil))
    }

    /// Adds a job of a task that prefers this thread while it is isolated to no actor.
    fileprivate func enqueue(_ job: UnownedJob, for tasks: ThreadTaskExecutor) {
        queue.enqueue(JobQueue.Entry(job: job, executor: self, taskExecutor: tasks))
    }

    /// The executor in the form that the runtime requires.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// A task executor that runs a task's non-isolated code on the thread of a ``ThreadExecutor``.
///
/// A task that serves an actor of that thread stays on it. Otherwise its waits would also wake threads of the pool.
public final class ThreadTaskExecutor: TaskExecutor {
    private let executor: ThreadExecutor

    /// - Parameter executor: The owner of the thread; kept alive.
    public init(_ executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Adds a job to the thread's queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(UnownedJob(job), for: self)
    }
}

/// The jobs that wait for the thread.
private final class JobQueue: Sendable {
    /// A job and its executor, which is kept alive until the job has run.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
        /// The task executor; nil if the job belongs to an actor.
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
    /// The signal that the thread waits for.
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

    /// Runs jobs until the queue is closed and empty.
    func run() {
        while let entries = dequeueAll() {
            for entry in entries { entry.run() }
        }
    }

    /// Waits for jobs and returns them; nil if the queue is closed and empty.
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
