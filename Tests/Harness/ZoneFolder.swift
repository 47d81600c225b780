import Glibc
public import OdographCivilTime

/// A folder of zone files, and the files of a machine's zone, that a test changes as an update and an administrator do.
public struct ZoneFolder: Sendable {
    /// The folder of the zones, and of the machine's files.
    public let folder: TemporaryFolder

    /// Creates a folder without zones.
    public init() throws { folder = try TemporaryFolder() }

    /// Creates a folder with the rules of Tokyo as the zone `Home`, and those of Madrid as `Away`.
    public static func homeAndAway() throws -> ZoneFolder {
        let folder = try ZoneFolder()
        try folder.install("Asia/Tokyo", as: "Home")
        try folder.install("Europe/Madrid", as: "Away")
        return folder
    }

    /// The folder as a directory of zones.
    public var zones: ZoneDirectory { ZoneDirectory(path: folder.path) }

    /// The machine's settings, without `TZ`.
    public var machine: SystemTimeZoneSettings {
        SystemTimeZoneSettings(
            environmentValue: nil, localtimePath: folder.file("localtime"), namePath: folder.file("timezone"))
    }

    /// Installs the rules of a zone of the system under a name, or replaces the file of that name, as a package does.
    public func install(_ zone: String, as name: String) throws {
        try write(try FileContents.bytes("\(ZoneDirectory.system.path)/\(zone)"), to: name + ".new")
        guard rename(folder.file(name + ".new"), folder.file(name)) == 0 else { throw HarnessError("rename: \(errno)") }
    }

    /// Writes the rules of a zone of the system into the file of a name.
    public func overwrite(_ name: String, with zone: String) throws {
        try write(try FileContents.bytes("\(ZoneDirectory.system.path)/\(zone)"), to: name)
    }

    /// Makes a zone the machine's, as `timedatectl set-timezone` does.
    public func setMachineZone(_ name: String) throws {
        let new = folder.file("localtime.new")
        guard symlink(folder.file(name), new) == 0, rename(new, folder.file("localtime")) == 0 else {
            throw HarnessError("symlink: \(errno)")
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        guard let file = fopen(folder.file(name), "w") else { throw HarnessError("\(name): \(errno)") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
}
