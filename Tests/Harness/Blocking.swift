import OdographThreads

/// Runs work that blocks on a thread of its own, and waits for its result.
///
/// A test must not block in a task: the tasks of all tests share as many threads as the machine has processors, and
/// what a blocked task waits for often needs one of them.
public func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
        let isRunning = WorkerThread.start { continuation.resume(returning: Result { try work() }) }
        if !isRunning { continuation.resume(returning: .failure(HarnessError("no thread is left"))) }
    }
    return try result.get()
}

/// Runs work that blocks on a thread of its own. Ends the tests if no thread is left.
public func startThread(_ work: @escaping @Sendable () -> Void) {
    precondition(WorkerThread.start(work), "no thread is left")
}
