import Glibc

/// A measured program, or one that the measured one needs. It is killed when the last reference is released.
final class ChildProcess {
    let identifier: pid_t
    /// The path of its standard output and error.
    let outputPath: String
    /// The kernel's resource usage over its whole life; nil before its end.
    private(set) var usage: rusage?
    private(set) var exitCode: Int32?

    init(_ arguments: [String], output: String) throws {
        outputPath = output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // All signals are blocked in the threads of Swift's pool, and a child would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var argv = arguments.map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, arguments[0], &actions, &attributes, &argv, environ)
        guard code == 0 else { throw Failure("\(arguments[0]) cannot be run: \(String(cString: strerror(code)))") }
        self.identifier = identifier
    }

    deinit {
        guard exitCode == nil else { return }
        kill(identifier, SIGKILL)
        _ = wait()
    }

    /// Waits for the end.
    @discardableResult
    func wait() -> Int32 {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        self.usage = usage
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        exitCode = code
        return code
    }

    /// Sends a signal and waits for the end.
    func stop(_ signal: Int32 = SIGTERM) {
        guard exitCode == nil else { return }
        kill(identifier, signal)
        wait()
    }

    var output: String { (try? Files.text(outputPath)) ?? "" }

    /// The processor time of all its threads so far, ended ones included, seconds.
    var processorSeconds: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns a number of `/proc/PID/FILE`, by the name before its colon.
    func number(_ name: String, in file: String) -> Int {
        guard let text = try? Files.text("/proc/\(identifier)/\(file)") else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
            return Int(line.dropFirst(name.count + 1).filter(\.isNumber)) ?? 0
        }
        return 0
    }

    /// The resident memory, megabytes.
    var residentMegabytes: Double { Double(number("VmRSS", in: "status")) / 1024 }
    /// The peak of the resident memory, megabytes, while the process runs. `ru_maxrss` of an ended process also
    /// contains the memory of its parent.
    var peakMegabytes: Double { Double(number("VmHWM", in: "status")) / 1024 }
}

extension rusage {
    /// The processor time, seconds.
    var seconds: Double {
        Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(ru_utime.tv_usec + ru_stime.tv_usec) / 1e6
    }
}

/// A reason why a measurement cannot be made.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Returns a reading of the monotonic clock, seconds.
func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Polls until there is an answer.
@discardableResult
func waitFor<Answer>(
    _ what: String, seconds: Double, everyMilliseconds: UInt32 = 5, _ ask: () throws -> Answer?
) throws -> Answer {
    let end = monotonicSeconds() + seconds
    while monotonicSeconds() < end {
        if let answer = try ask() { return answer }
        usleep(everyMilliseconds * 1000)
    }
    throw Failure("\(what) did not come within \(Int(seconds)) s")
}
