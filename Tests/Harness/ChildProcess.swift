import Glibc
import OdographThreads

/// A child process of a test. Its output is kept in files. It is killed when the last reference is released.
public final class ChildProcess: Sendable {
    /// The way in which a program ended.
    public enum Ending: Hashable, Sendable {
        /// The program exited with this code.
        case exited(Int32)
        /// The program was killed by this signal.
        case killed(Int32)
    }

    /// The process identifier.
    public let identifier: pid_t
    private let folder: TemporaryFolder
    private let ending = Lock<Ending?>(nil)

    /// Starts a program.
    /// - Parameters:
    ///   - program: A path, or a name to look for in `PATH` (and `/usr/sbin`).
    ///   - environment: Variables that are added to the environment of this process. Without others, the program keeps
    ///     its state in a folder of this child and not in that of the user.
    ///   - input: The text of the standard input.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], input: String = ""
    ) throws {
        folder = try TemporaryFolder()
        let inputPath = try folder.write(input, to: "input")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
        let writing = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 1, folder.file("output"), writing, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, folder.file("errors"), writing, 0o644)
        let own = ["XDG_STATE_HOME": folder.file("state")]
        identifier = try Self.spawn(program, arguments, own.merging(environment) { $1 }, &actions)
    }

    deinit {
        // This is the last reference, so no other thread waits for the process.
        if poll() == nil {
            Glibc.kill(identifier, SIGKILL)
            Glibc.kill(identifier, SIGCONT)
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
        }
    }

    static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String],
        _ actions: inout posix_spawn_file_actions_t, flags: Int16 = 0
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The test runner may block or ignore signals; the child begins with the defaults.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | flags)
        let path = locate(program)
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = merged(environment).map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw HarnessError.system("cannot run \(program)", code) }
        return identifier
    }

    private static func merged(_ extra: [String: String]) -> [String] {
        var result: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let line = String(cString: text)
            if !extra.keys.contains(where: { line.hasPrefix($0 + "=") }) { result.append(line) }
            entry += 1
        }
        return result + extra.map { "\($0.key)=\($0.value)" }
    }

    /// Returns the path of a program: the given path, or its place in `PATH`, `/usr/sbin` or `/usr/local/sbin`.
    public static func locate(_ program: String) -> String {
        guard !program.contains("/") else { return program }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.map { $0 + "/" + program }.first { access($0, X_OK) == 0 } ?? program
    }

    /// The standard output so far.
    public var output: String { (try? folder.read("output")) ?? "" }
    /// The standard error so far.
    public var errors: String { (try? folder.read("errors")) ?? "" }

    /// Sends a signal, unless the program has ended.
    public func send(_ signal: Int32) {
        ending.withLock { ending in
            if ending == nil { Glibc.kill(identifier, signal) }
        }
    }

    /// Returns how the program ended, or nil while it runs.
    public func poll() -> Ending? {
        ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            let signal = status & 0x7F
            ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
            return ending
        }
    }

    /// Waits for the end of the program.
    /// - Throws: An error if the program has not ended in time; it is killed then.
    @discardableResult
    public func wait(seconds: Double = 300) async throws -> Ending {
        guard let ending = try await eventually(within: seconds, { self.poll() }) else {
            send(SIGKILL)
            throw HarnessError("process \(identifier) did not end within \(seconds) s")
        }
        return ending
    }

    /// Runs a program to its end.
    /// - Returns: The way it ended, its output and its errors.
    @discardableResult
    public static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], input: String = "",
        seconds: Double = 300
    ) async throws -> (ending: Ending, output: String, errors: String) {
        let child = try ChildProcess(program, arguments, environment: environment, input: input)
        let ending = try await child.wait(seconds: seconds)
        return (ending, child.output, child.errors)
    }
}

/// Polls until the closure returns a value. The pause is twenty times the duration of the last call, from 10 ms to 2 s.
/// - Returns: The value, or nil at the timeout.
public func eventually<Value: Sendable>(
    within seconds: Double = 400, isolation: isolated (any Actor)? = #isolation, _ question: () async throws -> Value?
) async throws -> Value? {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        let asked = ContinuousClock.now
        if let value = try await question() { return value }
        guard ContinuousClock.now < end else { return nil }
        // Many tests wait at the same time on few processors: each may use a twentieth of one to ask.
        try await Task.sleep(for: min(.seconds(2), max(.milliseconds(10), asked.duration(to: .now) * 20)))
    }
}
