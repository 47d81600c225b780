import Glibc
import Odograph
import OdographLink

extension RecorderConfiguration {
    /// The longest accepted payload, bytes. The longest legitimate message is a report with a configuration and the
    /// errors of geofences, far below it.
    package static let maximumPayloadBytes = 1 << 20
    /// How long the broker keeps the session after a connection ends (MQTT 5): 14 days, as <doc:Operations> sets it at
    /// the broker for MQTT 3.1.1.
    private static let sessionExpirySeconds: UInt32 = 14 * 86_400

    /// Returns the settings of the session with the broker.
    package func linkConfiguration(password: Secret?) -> LinkConfiguration {
        var link = broker.linkConfiguration(clientID: clientID, password: password, rememberedVersion: nil)
        link.cleanStart = false
        link.sessionExpirySeconds = Self.sessionExpirySeconds
        link.maximumIncomingBytes = Self.maximumPayloadBytes
        return link
    }

    /// The client id: the configured one, or one that follows from this machine's name and the place of the database.
    /// The broker knows the session by it, so it must be the same at each start.
    package var clientID: String { broker.clientID ?? Self.derivedClientID(host: Self.hostName, location: database) }

    /// Returns the client id of a recorder. It has 23 characters, the most that every broker accepts.
    ///
    /// A recorder of a server can run on another machine tomorrow, so its id follows only from the address.
    static func derivedClientID(host: String, location: DatabaseLocation) -> String {
        let identity =
            switch location {
            case .file(let path): "\(host)\n\(absolute(path))"
            case .server(let address): address.description
            }
        return "recorder-" + SHA256.hexDigest(of: Array(identity.utf8)).prefix(14)
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
