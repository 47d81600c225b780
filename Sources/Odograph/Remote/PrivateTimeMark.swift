import Glibc
import OdographJSON
import OdographSettings

/// A file beside the database that says that a program on the vehicle has made the time private.
///
/// It is durable before the program gets its answer, and it does not depend on the database. So neither a kill nor a
/// damaged or deleted database ends private time. A file that cannot be read counts as private time.
package struct PrivateTimeMark: Sendable {
    /// The tag of a file whose content cannot be read.
    package static let unreadableTag = "private"
    private static let maximumBytes = 4096

    /// The path of the file.
    package let path: String

    /// - Parameter storePath: The path of the database. The file is beside it.
    package init(besideStore storePath: String) {
        path = storePath + "-private"
    }

    /// Returns the tag of the private time; nil if there is no file.
    package func read() -> ProgramTag? {
        guard FileReader.mayExist(path) else { return nil }
        guard case .success(let bytes) = FileReader.read(path, atMost: Self.maximumBytes),
            let tag = try? JSONCoder.decode(ProgramTag.self, from: bytes), tag.isPrivate
        else { return ProgramTag(name: Self.unreadableTag, isPrivate: true) }
        return tag
    }

    /// Writes the file atomically, and the folder's entry of it.
    /// - Throws: An error with the path and the reason. Then the file is empty if at least that is possible, as on a
    ///   full disk, so that the time stays private.
    package func write(_ tag: ProgramTag) throws {
        do {
            try AtomicFile.write([JSONCoder.bytes(of: tag)], to: path)
        } catch {
            AtomicFile.create(path)
            throw error
        }
    }

    /// Removes the file, if there is one.
    /// - Throws: `FileReader.ReadError` if it stays.
    package func remove() throws(FileReader.ReadError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw FileReader.ReadError(description: "\(path): cannot be removed: \(String(cString: strerror(errno)))")
    }
}
