import Glibc

/// The states of the files that define a zone. Two values are equal if none of the files was replaced or written in
/// between.
public struct ZoneFileStamps: Hashable, Sendable {
    /// The state of one file.
    private struct Stamp: Hashable {
        var path: String
        /// The target of the path if it is a symbolic link.
        var target: String?
        var device: UInt64 = 0
        /// 0 if there is no file.
        var inode: UInt64 = 0
        var size: Int64 = 0
        /// The times of the last change of the content and of the inode, seconds and nanoseconds.
        var times: [Int] = []
    }

    private var stamps: [Stamp] = []

    /// Notes the state of the file that a path leads to.
    mutating func add(_ path: String) {
        var stamp = Stamp(path: path, target: ZoneDirectory.linkTarget(path))
        var status = stat()
        if stat(path, &status) == 0 {
            stamp.device = UInt64(status.st_dev)
            stamp.inode = UInt64(status.st_ino)
            stamp.size = Int64(status.st_size)
            stamp.times = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
        stamps.append(stamp)
    }
}

extension ZoneDirectory {
    /// Returns the states of the files that ``rules(named:)`` reads, or with nil those of ``systemRules(_:)``.
    public func stamps(ofZone name: String?, machine: SystemTimeZoneSettings = .system) -> ZoneFileStamps {
        var stamps = ZoneFileStamps()
        if let name {
            stamps.add("\(path)/\(name)")
        } else if let value = machine.environmentValue {
            let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
            stamps.add(name.hasPrefix("/") ? name : "\(path)/\(name)")
        } else {
            stamps.add(machine.localtimePath)
            stamps.add(machine.namePath)
        }
        return stamps
    }
}
