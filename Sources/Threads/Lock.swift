import Glibc
import Synchronization

/// A value behind a lock.
///
/// `Synchronization.Mutex` gives the value its safety at compile time. It waits on a futex of its own, though, which the
/// thread sanitizer does not see: it takes everything that is handed over through one for a race. So a POSIX mutex, which
/// the sanitizer knows, is held around it; both together cost some 40 ns.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    private let value: Mutex<Value>
    private let posixMutex = POSIXMutex()

    /// - Parameter value: what is behind the lock.
    public init(_ value: consuming sending Value) {
        self.value = Mutex(value)
    }

    /// Holds the lock for as long as `body` runs.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        posixMutex.lock()
        defer { posixMutex.unlock() }
        return try value.withLock(body)
    }
}

/// See pthread_mutex_lock(3p).
private final class POSIXMutex: Sendable {
    private let address: UInt

    init() {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        address = UInt(bitPattern: mutex)
    }

    deinit {
        guard let mutex else { return }
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() {
        if let mutex { pthread_mutex_lock(mutex) }
    }

    func unlock() {
        if let mutex { pthread_mutex_unlock(mutex) }
    }

    private var mutex: UnsafeMutablePointer<pthread_mutex_t>? { UnsafeMutablePointer(bitPattern: address) }
}
