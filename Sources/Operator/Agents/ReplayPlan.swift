import Odograph
import Glibc
import OdographJSON
import OdographPositioning
import OdographWire

/// The configuration of an agent that plays a capture in place of its own source.
///
/// A replay has a database of its own beside the agent's, named after the capture. The vehicle's odometer and numbers
/// are not changed, and an interrupted replay resumes.
public struct ReplayPlan: Sendable {
    /// The agent's configuration with the capture as its source.
    public let configuration: AgentConfiguration

    /// - Parameters:
    ///   - file: A gpsd capture or a GPX file.
    ///   - speedFactor: The ratio to the original speed. nil for as fast as possible.
    ///   - configuration: The agent's configuration.
    /// - Throws: `CaptureError` if the file cannot be replayed.
    public init(file: String, speedFactor: Double?, configuration: AgentConfiguration) throws {
        var configuration = configuration
        // Reports errors of the file before anything starts.
        _ = try CaptureReader(ReplaySettings(path: file)).next()
        configuration.source = .replay(ReplaySettings(path: file, speedFactor: speedFactor))
        configuration.store.path = Self.storePath(besides: configuration.store.path, for: file)
        self.configuration = configuration
    }

    /// Deletes the replay's database and the files beside it. Call it when everything is delivered.
    public func removeStore() {
        GeofenceArchive(besideStore: configuration.store.path).removeAll()
        for companion in ["-wal", "-shm", "-journal", "-numbers", "-configuration", ""] {
            unlink(configuration.store.path + companion)
        }
    }

    private static func storePath(besides path: String, for file: String) -> String {
        var status = stat()
        stat(file, &status)
        // The name identifies the file and its state: the kernel's numbers, hashed with FNV-1a to a fixed length.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for number in [
            UInt64(status.st_dev), UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
            UInt64(bitPattern: Int64(status.st_mtim.tv_sec)), UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
        ] {
            for byte in 0..<8 { hash = (hash ^ (number >> UInt64(8 * byte) & 0xFF)) &* 0x100_0000_01B3 }
        }
        let stem = path.hasSuffix(".db") ? String(path.dropLast(3)) : path
        return "\(stem).replay-\(hash.hexadecimal).db"
    }
}
