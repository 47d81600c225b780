import Glibc

/// A small mounted file system for a test that fills it. Needs root; the test is skipped otherwise.
public final class SmallFileSystem: Sendable {
    /// The mount point.
    public let folder: TemporaryFolder
    private var ballast: String { folder.file("ballast") }

    /// Whether this process can mount one: the condition of `.enabled(if:)`.
    public static let isPossible = geteuid() == 0 && (try? SmallFileSystem()) != nil

    /// Mounts a file system.
    public init(bytes: Int = 512 << 10) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(bytes)") == 0 else {
            throw HarnessError.system("mounting at \(folder.path)")
        }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Fills the remaining space.
    public func fill() {
        guard let file = fopen(ballast, "wbe") else { return }
        defer { fclose(file) }
        setvbuf(file, nil, _IONBF, 0)
        let block = [UInt8](repeating: 1, count: 4096)
        while fwrite(block, 1, block.count, file) == block.count {}
    }

    /// Releases the space.
    public func release() {
        unlink(ballast)
    }

    /// Remounts the file system read-only.
    public func makeReadOnly() throws {
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw HarnessError.system("mounting \(folder.path) for reading only")
        }
    }
}
