/// The reason why there is no connection. The description of each case says what is wrong and how to correct it.
package enum LinkFailure: Error, Hashable, Sendable {
    /// The host name has no address; `detail` is the resolver's message.
    case hostNotFound(host: String, detail: String)
    /// No program listens at the address.
    case connectionRefused(host: String, port: UInt16)
    /// The network has no route to the host; `detail` is the system's message.
    case unreachable(host: String, detail: String)
    /// The host did not answer in time.
    case timedOut(host: String, port: UInt16, seconds: Int)
    /// A file of the TLS settings cannot be read or used.
    case fileUnusable(role: FileRole, path: String, detail: String)
    /// The private key does not match the certificate.
    case keyMismatch(certificate: String, key: String)
    /// The broker's certificate is from an authority that is not trusted here.
    case unknownAuthority(detail: String)
    /// The broker's certificate has expired or is not valid yet, according to this machine's clock.
    case certificateExpired(detail: String)
    /// The broker's certificate is for another host name.
    case hostNameMismatch(host: String)
    /// The broker refuses this client's certificate, or its absence; `detail` is the TLS alert.
    case certificateRefused(detail: String)
    /// TLS failed for another reason.
    case tls(detail: String)
    /// The user name or the password is wrong.
    case badCredentials
    /// The broker does not authorise this client to connect.
    case notAuthorized
    /// The broker is unavailable at present.
    case serverUnavailable(reason: String)
    /// The broker has banned this client.
    case banned
    /// The broker does not accept the client id.
    case clientIDRefused(String)
    /// The broker does not support this version of MQTT.
    case protocolVersionRefused(MQTTVersion)
    /// The broker refused the connection for another reason.
    case refused(reasonCode: Int, text: String)
    /// The received data is not valid MQTT.
    case protocolError(detail: String)
    /// The broker closed the connection before CONNACK.
    case closedBeforeConnack
    /// The broker closed an established connection without a reason.
    case closedByBroker
    /// The connection failed; `detail` is the system's message.
    case connectionLost(detail: String)
    /// The broker answered no ping.
    case keepAliveTimeout(seconds: Int)
    /// The broker did not answer the check after this silence within this wait.
    case checkTimeout(silenceSeconds: Int, waitSeconds: Int)
    /// The broker acknowledged nothing for this time.
    case acknowledgementTimeout(seconds: Int)
    /// The broker acknowledged later messages, but left one unacknowledged for this time.
    case acknowledgementMissing(seconds: Int)
    /// The broker did not answer a subscription for this time.
    case subscriptionTimeout(filter: String, seconds: Int)
    /// The broker accepts messages at QoS 0 only.
    case qosNotSupported
    /// Another client with the same id took over the session.
    case sessionTakenOver(clientID: String)
    /// The broker sent a DISCONNECT with a reason.
    case serverDisconnected(reasonCode: Int, text: String)
    /// The library rejects a setting.
    case invalidSetting(detail: String)
    /// This program dropped or stopped the connection.
    case byRequest

    /// A file of the TLS settings.
    package enum FileRole: String, Sendable {
        /// The trusted authorities.
        case authorities = "file of trusted authorities"
        /// This client's certificate.
        case certificate = "client certificate"
        /// This client's private key.
        case key = "private key"
    }
}

extension LinkFailure: CustomStringConvertible {
    /// The cause, and how to correct it.
    package var description: String { networkDescription ?? tlsDescription ?? brokerDescription }

    private var networkDescription: String? {
        switch self {
        case .hostNotFound(let host, let detail):
            "the host \"\(host)\" was not found (\(detail)); check the broker's name and this machine's DNS"
        case .connectionRefused(let host, let port):
            "nothing listens at \(host) port \(port); check that the broker runs and listens there"
        case .unreachable(let host, let detail):
            "\(host) cannot be reached (\(detail)); check this machine's network"
        case .timedOut(let host, let port, let seconds):
            "\(host) port \(port) did not respond within \(seconds) s; check the address and the firewall, "
                + "and use mqtts:// for a TLS port"
        case .closedBeforeConnack:
            "the broker closed the connection without a response; check that the port is the MQTT port "
                + "(mqtts:// for TLS), that the broker accepts this client's certificate, and the broker's log"
        case .closedByBroker: "the connection was lost (closed by the broker)"
        case .connectionLost(let detail): "the connection was lost (\(detail))"
        case .keepAliveTimeout(let seconds): "no response to a ping within the keep-alive of \(seconds) s"
        case .checkTimeout(let silence, let wait):
            "no response within \(wait) s to a check after \(silence) s without traffic; the network has forgotten or "
                + "lost the connection"
        case .acknowledgementTimeout(let seconds): "the broker acknowledged nothing for \(seconds) s"
        case .acknowledgementMissing(let seconds):
            "the broker acknowledged later messages, but not one older than \(seconds) s; it is sent again"
        case .subscriptionTimeout(let filter, let seconds):
            "the broker did not respond to the subscription to \(filter) within \(seconds) s; see its log"
        case .byRequest: "disconnected by this program"
        default: nil
        }
    }

    private var tlsDescription: String? {
        switch self {
        case .fileUnusable(let role, let path, let detail):
            "the \(role.rawValue) \(path) cannot be used (\(detail)); it must be a PEM file that this user can read"
        case .keyMismatch(let certificate, let key):
            "the private key \(key) does not belong to the certificate \(certificate); give a matching pair"
        case .unknownAuthority(let detail):
            "the broker's certificate is from an unknown authority (\(detail)); "
                + "set ca_file to the certificate of the authority that issued it"
        case .certificateExpired(let detail):
            "the broker's certificate is not valid at this time (\(detail)); renew it, or set this machine's clock"
        case .hostNameMismatch(let host):
            "the broker's certificate is not for \"\(host)\"; use the name in the certificate"
        case .certificateRefused(let detail):
            "the broker rejects this client's certificate (\(detail)); use one from the broker's authority "
                + "that is not expired and not revoked"
        case .tls(let detail):
            "TLS failed (\(detail)); check that the port supports TLS 1.2 or newer, and tls.alpn if it is set"
        default: nil
        }
    }

    private var brokerDescription: String {
        switch self {
        case .badCredentials: "the broker rejects the user name or the password; check both"
        case .notAuthorized:
            "the broker rejects this client (not authorised); check that user name, password and certificate belong to "
                + "this device, and the broker's access rules"
        case .serverUnavailable(let reason): "the broker is unavailable (\(reason))"
        case .banned: "the broker has banned this client; ask its operator to remove the ban"
        case .clientIDRefused(let identifier):
            "the broker does not accept the client id \"\(identifier)\"; choose one it allows"
        case .protocolVersionRefused(let version): "the broker does not support MQTT \(version.rawValue)"
        case .qosNotSupported:
            "the broker accepts only QoS 0, which has no acknowledgement, so records cannot be delivered; allow "
                + "QoS 1 at the broker (mosquitto: max_qos)"
        case .refused(let code, let text): "the broker rejects the connection (\(text), reason \(code))"
        case .protocolError(let detail):
            "the broker sent invalid MQTT data (\(detail)); check that the port is the MQTT port"
        case .sessionTakenOver(let identifier):
            "another client connected with the same id \"\(identifier)\"; give each device its own client id"
        case .serverDisconnected(let code, let text):
            "the broker ended the connection (\(text), reason \(code))"
        case .invalidSetting(let detail): "a setting of the link cannot be used: \(detail)"
        default: "the link failed"
        }
    }
}

extension LinkFailure {
    /// The reason why no address of a host accepts: of the failures the one that came furthest. It names all addresses
    /// with a failure of this kind.
    init(_ failures: [(address: BrokerAddress, failure: LinkFailure)], host: String) {
        guard let furthest = failures.map(\.failure).max(by: { $0.progress < $1.progress }) else {
            self = .hostNotFound(host: host, detail: "no address")
            return
        }
        let addresses = failures.filter { $0.failure.progress == furthest.progress }.map(\.address.text).sorted()
        self = furthest.naming(addresses)
    }

    /// Whether another address of the same name can succeed. Otherwise the broker itself has refused this client.
    var isOfAddress: Bool { progress < 5 }

    /// Whether a connection ended because the broker did not answer.
    var isWithoutAnswer: Bool {
        switch self {
        case .acknowledgementTimeout, .subscriptionTimeout, .keepAliveTimeout, .checkTimeout: true
        default: false
        }
    }

    /// How far a connection came: the network, the host, TCP, TLS, the broker.
    private var progress: Int {
        switch self {
        case .unreachable: 0
        case .timedOut: 1
        case .connectionRefused: 2
        case .closedBeforeConnack, .connectionLost: 3
        case .tls, .unknownAuthority, .certificateExpired, .hostNameMismatch, .serverUnavailable: 4
        default: 5
        }
    }

    private func naming(_ addresses: [String]) -> LinkFailure {
        func named(_ host: String) -> String {
            addresses == [host] ? host : "\(host) (\(addresses.joined(separator: ", ")))"
        }
        return switch self {
        case .unreachable(let host, let detail): .unreachable(host: named(host), detail: detail)
        case .timedOut(let host, let port, let seconds): .timedOut(host: named(host), port: port, seconds: seconds)
        case .connectionRefused(let host, let port): .connectionRefused(host: named(host), port: port)
        default: self
        }
    }

    /// Whether it says no more than that the connection ended. A broker that refuses a certificate often closes before
    /// its reason arrives.
    package var isVague: Bool {
        switch self {
        case .closedBeforeConnack, .closedByBroker, .connectionLost: true
        default: false
        }
    }

    /// Whether the next attempt would fail in the same way.
    package var isPermanent: Bool {
        switch self {
        case .fileUnusable, .keyMismatch, .unknownAuthority, .certificateExpired, .hostNameMismatch,
            .certificateRefused, .badCredentials, .notAuthorized, .banned, .invalidSetting, .hostNotFound,
            .connectionRefused:
            true
        default: false
        }
    }

    /// Whether the end of an established connection can be the broker's answer to a message: brokers also close without
    /// a reason.
    package var canFollowMessage: Bool {
        switch self {
        case .closedByBroker, .connectionLost, .protocolError, .notAuthorized: true
        // 0x89 and 0x8B: the broker is busy or stops; 0x8D: only this client was silent for too long.
        case .serverDisconnected(let reasonCode, _): ![0x89, 0x8B, 0x8D].contains(reasonCode)
        default: false
        }
    }

    /// Whether the broker has ended an established connection, as it does with all connections when it is stopped.
    var isEndByBroker: Bool {
        switch self {
        case .closedByBroker: true
        // 0x8D: only this client was silent for too long.
        case .serverDisconnected(let reasonCode, _): reasonCode != 0x8D
        default: false
        }
    }
}
