import COdographSpawn
import Glibc
import OdographSettings

/// A program of the operator that gets a notification on its standard input.
///
/// It runs without a shell, with a small environment of its own, in a process group of its own, and with no descriptor
/// of the recorder. At the time limit, and when the recorder stops, the group is killed. If the recorder is killed, the
/// program is killed, too.
struct CommandRun {
    /// The usual time limit, seconds.
    static let usualLimitSeconds = 30.0

    /// The absolute path of the program, and its arguments.
    let arguments: [String]
    /// The time limit, seconds.
    var limitSeconds = usualLimitSeconds
    /// Says that the recorder stops.
    var stopSign = StopSign()

    /// Runs the program, and waits for its end. On this thread SIGPIPE must be blocked.
    /// - Parameter input: The standard input. The program need not read it.
    func run(input: String) -> DeliveryResult {
        let program = arguments.first ?? ""
        var ends: [Int32] = [-1, -1]
        var identifier: pid_t = 0
        var code = pipe(&ends) == 0 ? 0 : errno
        if code == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            code = spawn(&identifier, input: ends[0])
            close(ends[0])
        }
        defer { if ends[1] >= 0 { close(ends[1]) } }
        guard code == 0 else { return .failed("cannot run \(program): \(String(cString: strerror(code)))") }
        guard let status = wait(for: identifier, writing: input, to: &ends[1]) else {
            return .failed(
                stopSign.isSet
                    ? "\(program) was killed, because the recorder stops"
                    : "\(program) did not end within \(limitSeconds.shortText) s, and was killed")
        }
        let signal = status & 0x7F
        guard signal == 0 else { return .failed("\(program) was killed by signal \(signal)") }
        let exitCode = (status >> 8) & 0xFF
        return exitCode == 0 ? .delivered : .failed("\(program) ended with exit code \(exitCode)")
    }

    private func spawn(_ identifier: inout pid_t, input: Int32) -> Int32 {
        // The environment of the recorder can contain the broker's password.
        let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        return odograph_spawn_bound(&identifier, arguments.first ?? "", &argv, &envp, input)
    }

    /// Writes the input, and waits for the end of the program.
    /// - Parameter output: The end of the pipe; it is closed, and then -1.
    /// - Returns: The status of the program; nil if it had to be killed.
    private func wait(for identifier: pid_t, writing input: String, to output: inout Int32) -> Int32? {
        let limit = ContinuousClock.now + .seconds(limitSeconds)
        var rest = Array(input.utf8)[...]
        var (status, pause): (Int32, Int32) = (0, 1)
        while true {
            Self.write(&rest, to: &output)
            var end = siginfo_t()
            // The program is not collected yet, so that the group keeps its number.
            let hasEnded = waitid(P_PID, id_t(identifier), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_signo != 0
            guard hasEnded || stopSign.isSet || ContinuousClock.now >= limit else {
                // A program that reads ends this wait early.
                var descriptor = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&descriptor, 1, pause)
                pause = min(pause * 2, 50)
                continue
            }
            // The programs that it has started in its group end with it.
            kill(-identifier, SIGKILL)
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            return hasEnded ? status : nil
        }
    }

    /// Writes as much as the pipe takes. Closes it at the end of the input, or if the program reads no more.
    private static func write(_ rest: inout ArraySlice<UInt8>, to output: inout Int32) {
        guard output >= 0 else { return }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                break
            }
        }
        close(output)
        output = -1
    }
}
