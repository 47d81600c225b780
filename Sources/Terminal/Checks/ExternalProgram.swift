import Glibc

/// Runs other programs of the machine.
package enum ExternalProgram {
    /// The end of a program.
    package struct Ending: Sendable {
        /// The exit code; 128 and the signal for a program that a signal has ended.
        package let code: Int32
        /// The output and the error output of the program, at most ``maximumBytes``.
        package let output: String
    }

    /// The kept part of an output, bytes.
    package static let maximumBytes = 64 << 10

    /// Runs a program, and waits until it ends.
    /// - Parameters:
    ///   - name: The program, which is searched for in `PATH`.
    ///   - arguments: The arguments after the name.
    ///   - variables: Variables that are added to the environment.
    /// - Returns: The end of the program. Nil if there is no such program, or it cannot be started.
    package static func run(
        _ name: String, _ arguments: [String], variables: [String: String] = [:]
    ) -> Ending? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        var process = pid_t()
        let failure = withTexts([name] + arguments) { arguments in
            withTexts(environment(with: variables)) { environment in
                posix_spawnp(&process, name, &actions, nil, arguments, environment)
            }
        }
        close(ends[1])
        guard failure == 0 else { return nil }
        let output = contents(of: ends[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7f
        return Ending(
            code: signal == 0 ? (status >> 8) & 0xff : 128 + signal, output: String(decoding: output, as: UTF8.self))
    }

    /// Reads to the end, also what is not kept: the program would otherwise wait.
    private static func contents(of descriptor: Int32) -> [UInt8] {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return contents }
            contents += buffer[..<min(count, max(0, maximumBytes - contents.count))]
        }
    }

    private static func environment(with variables: [String: String]) -> [String] {
        var texts: [String] = []
        var next = environ
        while let text = next.pointee {
            let variable = String(cString: text)
            if variables[String(variable.prefix { $0 != "=" })] == nil { texts.append(variable) }
            next += 1
        }
        return texts + variables.map { "\($0.key)=\($0.value)" }
    }

    /// Passes texts as C strings, followed by a null pointer, to `body`.
    private static func withTexts<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("the array has at least one element") }
            return body(base)
        }
    }
}
