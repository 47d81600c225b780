import Glibc

/// The programs of the servers that tests start. By default they are those of this machine. `ODOGRAPH_SERVERS` names
/// the folder of a separate Debian whose programs are used instead; the folders of the tests must be in it at the same
/// paths. `Tests/Compatibility/check` sets it, and mounts them. Only root can start a program there.
enum ServerProgram {
    /// The folder of the separate Debian; empty for this machine.
    static let root = getenv("ODOGRAPH_SERVERS").map { String(cString: $0) } ?? ""

    /// Starts the program of a server. The process is the server itself, not a program around it.
    /// - Parameters:
    ///   - name: A path, or a name to look for.
    ///   - environment: As for ``ChildProcess``.
    ///   - user: The user of the server; nil for that of the tests.
    static func start(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], user: ServerUser? = nil
    ) throws -> ChildProcess {
        let words = words(name, arguments, user)
        return try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
    }

    /// Runs a program of a server to its end.
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], user: ServerUser? = nil
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let words = words(name, arguments, user)
        return try await ChildProcess.run(words[0], Array(words.dropFirst()), environment: environment)
    }

    /// Returns whether a program is at a path of the separate Debian, or of this machine.
    static func exists(_ path: String) -> Bool { access(root + path, X_OK) == 0 }

    private static func words(_ name: String, _ arguments: [String], _ user: ServerUser?) -> [String] {
        let place = root.isEmpty ? ChildProcess.locate(name) : located(name)
        let command = [place] + arguments
        let asUser =
            user.map { ["setpriv", "--reuid=\($0.identifier)", "--regid=\($0.group)", "--clear-groups"] } ?? []
        return (root.isEmpty ? [] : ["chroot", root]) + asUser + command
    }

    /// Returns the path of a program in the separate Debian.
    private static func located(_ name: String) -> String {
        guard !name.contains("/") else { return name }
        return ["/usr/sbin/", "/usr/bin/"].map { $0 + name }.first(where: exists) ?? name
    }
}
