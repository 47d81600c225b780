import Glibc
import OdographJSON
import Positioning
import Wire

/// What an agent needs to play a capture in place of its own source.
///
/// A replay has a database of its own beside the agent's, named for the capture: the vehicle's odometer and numbering
/// are not touched, a replay that was interrupted goes on where it was, and one that came to its end leaves nothing.
public struct ReplayPlan: Sendable {
    /// The agent's configuration with the capture as its source.
    public let configuration: AgentConfiguration

    /// - Parameters:
    ///   - file: a gpsd capture or GPX file.
    ///   - speedFactor: how many times faster than it was driven; nil as fast as possible.
    ///   - configuration: the agent's.
    /// - Throws: `CaptureError` where there is nothing that can be replayed.
    public init(file: String, speedFactor: Double?, configuration: AgentConfiguration) throws {
        var configuration = configuration
        // Whatever is wrong with the file is said before anything starts.
        _ = try CaptureReader(ReplaySettings(path: file)).next()
        configuration.source = .replay(ReplaySettings(path: file, speedFactor: speedFactor))
        configuration.store.path = Self.storePath(besides: configuration.store.path, for: file)
        self.configuration = configuration
    }

    /// Takes the database and the geofences beside it away, once all of it is delivered.
    public func removeStore() {
        GeofenceArchive(besideStore: configuration.store.path).removeAll()
        for companion in ["-wal", "-shm", "-journal", "-numbers", "-configuration", ""] {
            unlink(configuration.store.path + companion)
        }
    }

    private static func storePath(besides path: String, for file: String) -> String {
        var status = stat()
        stat(file, &status)
        // The same file at the same state: what the kernel knows it by, FNV-1a hashed for a name of bounded length.
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
