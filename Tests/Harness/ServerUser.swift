import Glibc

/// A user that a server runs as, because it refuses to run as root.
struct ServerUser {
    /// The number of the user.
    let identifier: uid_t
    /// The number of the user's group.
    let group: gid_t

    /// Looks for a user where the programs of the servers are. A separate Debian has numbers of its own.
    /// - Parameter name: The name of the user.
    /// - Returns: Nil without such a user, or if the tests do not run as root.
    init?(_ name: String) {
        guard geteuid() == 0, let text = try? FileContents.text(ServerProgram.root + "/etc/passwd") else { return nil }
        let fields = text.split(separator: "\n").map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        guard let entry = fields.first(where: { $0.count > 3 && $0[0] == name }), let user = uid_t(entry[2]),
            let group = gid_t(entry[3])
        else { return nil }
        (identifier, self.group) = (user, group)
    }
}
