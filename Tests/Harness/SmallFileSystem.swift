import Glibc

/// A small file system of its own, mounted for a test that fills it. Needs root; elsewhere such a test is skipped.
public final class SmallFileSystem: Sendable {
    /// Where it is mounted.
    public let folder: TemporaryFolder
    private var ballast: String { folder.file("ballast") }

    /// Whether this process may mount one: the condition of `.enabled(if:)`.
    public static let isPossible = geteuid() == 0 && (try? SmallFileSystem()) != nil

    /// Mounts it.
    public init(bytes: Int = 512 << 10) throws {
        folder = try TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(bytes)") == 0 else {
            throw HarnessError.system("mounting at \(folder.path)")
        }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Takes all the space that is left.
    public func fill() {
        guard let file = fopen(ballast, "wbe") else { return }
        defer { fclose(file) }
        setvbuf(file, nil, _IONBF, 0)
        let block = [UInt8](repeating: 1, count: 4096)
        while fwrite(block, 1, block.count, file) == block.count {}
    }

    /// Gives the space back.
    public func release() {
        unlink(ballast)
    }

    /// Lets nothing be written from now on.
    public func makeReadOnly() throws {
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw HarnessError.system("mounting \(folder.path) for reading only")
        }
    }
}
