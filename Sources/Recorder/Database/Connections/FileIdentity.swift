import Glibc

/// The identity of a file, which a file of the same name does not have.
struct FileIdentity: Hashable {
    private let device: UInt
    private let number: UInt

    /// Reads the identity of a file; nil if there is none at the path.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }
}
