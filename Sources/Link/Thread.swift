import Glibc

private final class ThreadStart {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Runs a function on a thread of its own, which no signal interrupts: they are the main program's, and a socket that
/// has broken must be an error of `write`, not the end of the process.
/// - Returns: false where the system has no thread left.
func spawnThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    var thread = pthread_t()
    let start = Unmanaged.passRetained(ThreadStart(body)).toOpaque()
    let code = pthread_create(
        &thread, &attributes,
        { argument in
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            if let argument { Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }, start)
    if code != 0 { Unmanaged<ThreadStart>.fromOpaque(start).release() }
    return code == 0
}
