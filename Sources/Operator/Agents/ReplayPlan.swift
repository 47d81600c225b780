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
    ///   - vehicleLog: A log of the vehicle's bus from the same drive; nil for none.
    ///   - speedFactor: The ratio to the original speed. nil for as fast as possible.
    ///   - configuration: The agent's configuration.
    /// - Throws: `CaptureError` if the file cannot be replayed.
    public init(file: String, vehicleLog: String? = nil, speedFactor: Double?, configuration: AgentConfiguration) throws
    {
        var configuration = configuration
        // Reports errors of the file before anything starts.
        var settings = ReplaySettings(path: file, speedFactor: speedFactor)
        settings.vehicleLogPath = vehicleLog
        _ = try CaptureReader(settings).next()
        configuration.source = .replay(settings)
        configuration.store.path = Self.storePath(
            besides: configuration.store.path, for: [file] + (vehicleLog.map { [$0] } ?? []))
        self.configuration = configuration
    }

    /// Deletes the replay's database and the files beside it. Call it when everything is delivered.
    public func removeStore() {
        GeofenceArchive(besideStore: configuration.store.path).removeAll()
        for companion in ["-wal", "-shm", "-journal", "-numbers", "-configuration", "-private", ""] {
            unlink(configuration.store.path + companion)
        }
    }

    private static func storePath(besides path: String, for files: [String]) -> String {
        // The name identifies the files and their state: the kernel's numbers, hashed with FNV-1a to a fixed length.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for file in files {
            var status = stat()
            stat(file, &status)
            for number in [
                UInt64(status.st_dev), UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
                UInt64(bitPattern: Int64(status.st_mtim.tv_sec)), UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
            ] {
                for byte in 0..<8 { hash = (hash ^ (number >> UInt64(8 * byte) & 0xFF)) &* 0x100_0000_01B3 }
            }
        }
        let stem = path.hasSuffix(".db") ? String(path.dropLast(3)) : path
        return "\(stem).replay-\(hash.hexadecimal).db"
    }
}
