import Glibc
import OdographSettings

/// The user of a service, and what it may do with a file. A doctor that runs as root may do everything itself, so it
/// compares the owners and the modes. It does not read access lists (setfacl).
package struct ServiceUser: Hashable, Sendable {
    /// The name of the user.
    package let name: String
    private let identifier: uid_t
    private let groups: Set<gid_t>
    /// More groups than a user of a service has.
    private static let mostGroups = 1024

    /// Finds a user of this machine; nil if there is none of this name.
    /// - Parameter moreGroups: The names of the groups that the service gives the user besides its own.
    package init?(_ name: String, moreGroups: [String] = []) {
        guard let entry = getpwnam(name) else { return nil }
        let (identifier, first) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        var found = [gid_t](repeating: first, count: Self.mostGroups)
        var count = Int32(found.count)
        guard getgrouplist(name, first, &found, &count) >= 0 else { return nil }
        let more = moreGroups.compactMap { getgrnam($0)?.pointee.gr_gid }
        self.init(name, identifier: identifier, groups: Set(found.prefix(Int(count)) + more))
    }

    /// - Parameters:
    ///   - name: The name.
    ///   - identifier: The number of the user.
    ///   - groups: The numbers of all its groups.
    init(_ name: String, identifier: uid_t, groups: Set<gid_t>) {
        (self.name, self.identifier, self.groups) = (name, identifier, groups)
    }

    /// Returns what keeps this user from a file, with its owner and mode: the file, or a folder above it, the uppermost
    /// one first. Nil if nothing does, or if the file does not exist.
    /// - Parameter rights: What the user needs to do with the file: `R_OK`, `W_OK` and `X_OK`, as for access(2).
    package func obstacle(to path: String, _ rights: Int32) -> String? {
        guard identifier != 0, let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        var place = String(cString: real)
        var needed = rights
        var obstacle: String?
        while true {
            if lacks(needed, at: place) { obstacle = "\(place) (\(FileReader.ownerText(of: place) ?? ""))" }
            guard place != "/" else { return obstacle }
            (place, needed) = (PathResolver.folder(of: place), X_OK)
        }
    }

    private func lacks(_ rights: Int32, at place: String) -> Bool {
        var status = stat()
        guard stat(place, &status) == 0 else { return false }
        // The bits of the owner, of the group or of the others count, and never two of them.
        let shift: mode_t = status.st_uid == identifier ? 6 : groups.contains(status.st_gid) ? 3 : 0
        return Int32(status.st_mode >> shift & 0o7) & rights != rights
    }
}
