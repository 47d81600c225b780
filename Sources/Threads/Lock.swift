import Glibc
import Synchronization

/// A value that is protected by a lock.
///
/// `Synchronization.Mutex` makes the access safe at compile time. It waits on its own futex, which the thread sanitizer
/// does not know: the sanitizer would report each access as a race. So a POSIX mutex, which the sanitizer knows, is
/// held around it. Both together cost about 40 ns.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    private let value: Mutex<Value>
    private let posixMutex = POSIXMutex()

    /// - Parameter value: The protected value.
    public init(_ value: consuming sending Value) {
        self.value = Mutex(value)
    }

    /// Runs `body` with the lock held.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        posixMutex.lock()
        defer { posixMutex.unlock() }
        return try value.withLock(body)
    }
}

/// A POSIX mutex, see pthread_mutex_lock(3p).
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
