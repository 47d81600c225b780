import Glibc
import OdographSettings

/// The client id of a recorder's session with the broker.
///
/// The broker knows the session by it, so it must be the same at each start. A client that knows it can end the
/// session, and the messages that wait in it are lost. Therefore it follows from a random secret in the database. It
/// also follows from the place of the database, so a copy at another place does not bring the session.
struct RecorderClientIdentity {
    private let configured: String?
    private let place: String

    /// Creates the identity of the recorder with these settings, on this machine.
    init(_ recording: RecordingSettings) {
        self.init(configured: recording.broker.clientID, host: Self.hostName, location: recording.database)
    }

    /// A recorder of a server can run on another machine tomorrow, so its place is the address only.
    init(configured: String?, host: String, location: DatabaseLocation) {
        self.configured = configured
        place =
            switch location {
            case .file(let path): "\(host)\n\(Self.absolute(path))"
            case .server(let address): address.description
            }
    }

    /// Returns the configured client id, or the one of the database. It has 23 characters, the most that every broker
    /// accepts.
    /// - Parameter secret: The secret in the database.
    func clientID(secret: String) -> String {
        configured ?? "recorder-" + SHA256.hexDigest(of: Array("\(secret)\n\(place)".utf8)).prefix(14)
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
