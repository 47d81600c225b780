import Glibc

/// Threads for work that waits in system calls, which must not block the cooperative pool.
public enum WorkerThread {
    /// The size of a thread's stack, bytes. It is address space: memory is used only as far as a thread goes. Reading
    /// the saved tracker needs more than 512 KiB in a debug build, which keeps each intermediate value.
    private static let stackBytes = 2 * 1024 * 1024

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a function on a new thread, which ends when the function returns.
    ///
    /// All signals are blocked on it: the main program handles them, and a broken socket must be an error of `write`,
    /// not end the process with SIGPIPE.
    ///
    /// - Returns: False if the system cannot create a thread.
    public static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackBytes)
        // The thread inherits the mask, so that no signal can interrupt it from its first instruction.
        var everything = sigset_t()
        var previous = sigset_t()
        sigfillset(&everything)
        pthread_sigmask(SIG_SETMASK, &everything, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        if failure != 0 { body.release() }
        return failure == 0
    }
}
