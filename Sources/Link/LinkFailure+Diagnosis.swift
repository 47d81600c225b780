import COdographMosquitto
import Glibc

extension LinkFailure {
    /// The observations about an attempt or a connection that failed.
    struct Evidence {
        /// The library's return code.
        var libraryCode: Int32
        /// The `errno` at that time.
        var systemError: Int32
        /// Whether that is an error of the network, and not a rest of an earlier call.
        var isNetworkError: Bool {
            [ECONNREFUSED, ECONNRESET, EPIPE, ETIMEDOUT, ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(systemError)
        }
        /// The reason code of a CONNACK that refused the connection.
        var connackReason: Int32?
        /// The reason code of a DISCONNECT from the broker.
        var disconnectReason: Int32?
        /// Whether the broker had accepted the connection.
        var wasConnected: Bool
        /// The library's log lines during the attempt, including OpenSSL's errors.
        var log: [String]
        /// The result of OpenSSL's certificate verification: an `X509_V_ERR_…` and its text; nil if there is none.
        var certificateVerifyResult: (code: Int, text: String)?
        var version: MQTTVersion
    }

    /// Creates the failure that explains the evidence.
    init(_ evidence: Evidence, configuration: LinkConfiguration) {
        var evidence = evidence
        // OpenSSL takes the error of the network beneath it.
        if let error = evidence.log.last.flatMap(Self.systemError) { evidence.systemError = error }
        if let reason = evidence.connackReason {
            self.init(connackReason: reason, version: evidence.version, clientID: configuration.clientID)
        } else if let reason = evidence.disconnectReason {
            self.init(disconnect: reason, clientID: configuration.clientID)
        } else if case .tls(let settings) = configuration.endpoint.transport,
            let failure = LinkFailure(tlsEvidence: evidence, host: configuration.endpoint.host, settings: settings)
        {
            self = failure
        } else {
            self.init(libraryEvidence: evidence, configuration: configuration)
        }
    }

    /// Creates a failure from a CONNACK code: MQTT 3.1.1 section 3.2.2.3 (1 to 5), MQTT 5 section 3.2.2.2 (0x80 on).
    init(connackReason reason: Int32, version: MQTTVersion, clientID: String) {
        switch reason {
        case 1, 0x84: self = .protocolVersionRefused(version)
        case 2, 0x85: self = .clientIDRefused(clientID)
        case 3: self = .serverUnavailable(reason: "server unavailable")
        case 4, 0x86: self = .badCredentials
        case 5, 0x87: self = .notAuthorized
        // 0x9C and 0x9D: use another server; 0x80 and 0x83: an error without a name.
        case 0x80, 0x83, 0x88, 0x89, 0x97, 0x9C, 0x9D, 0x9F:
            self = .serverUnavailable(reason: Self.reasonString(reason))
        case 0x8A: self = .banned
        case 0x9B: self = .qosNotSupported
        default: self = .refused(reasonCode: Int(reason), text: Self.reasonString(reason))
        }
    }

    private init(disconnect reason: Int32, clientID: String) {
        switch reason {
        case 0x8E: self = .sessionTakenOver(clientID: clientID)
        case 0x87: self = .notAuthorized
        case 0x8D: self = .serverDisconnected(reasonCode: Int(reason), text: "keep-alive timeout at the broker")
        default: self = .serverDisconnected(reasonCode: Int(reason), text: Self.reasonString(reason))
        }
    }

    /// Creates a failure from OpenSSL's verification result and the library's log; nil if neither is about TLS, but
    /// about the end of the connection beneath it.
    private init?(tlsEvidence evidence: Evidence, host: String, settings: TLSSettings) {
        let lines = evidence.log
        func says(_ part: String) -> Bool { lines.contains { $0.contains(part) } }
        let error = lines.last { $0.hasPrefix("OpenSSL Error") }
        let detail = error.map(Self.opensslReason)
        if says("key values mismatch") || says("are inconsistent") {
            self = .keyMismatch(certificate: settings.certificateFile ?? "", key: settings.keyFile ?? "")
        } else if says("Unable to load client key file") {
            self = .fileUnusable(role: .key, path: settings.keyFile ?? "", detail: detail ?? "not a key")
        } else if says("Unable to load client certificate") {
            self = .fileUnusable(
                role: .certificate, path: settings.certificateFile ?? "", detail: detail ?? "not a certificate")
        } else if says("Unable to load CA certificates") {
            self = .fileUnusable(
                role: .authorities, path: settings.caFile ?? settings.caFolder ?? "", detail: detail ?? "no certificate"
            )
        } else if says("host name verification failed") {
            self = .hostNameMismatch(host: host)
        } else if let alert = detail, alert.contains("alert"),
            Self.alertsOfCertificate.contains(where: alert.contains)
        {
            self = .certificateRefused(detail: alert)
        } else if let verdict = evidence.certificateVerifyResult, verdict.code != 0 {
            self =
                switch verdict.code {
                // X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
                case 9, 10: .certificateExpired(detail: verdict.text)
                // X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: libmosquitto 2.1 lets OpenSSL compare.
                case 62, 64: .hostNameMismatch(host: host)
                default: .unknownAuthority(detail: verdict.text)
                }
        } else if let error, let detail, Self.systemError(in: error) == nil,
            !Self.endings.contains(where: detail.contains)
        {
            self = .tls(detail: detail)
        } else {
            return nil
        }
    }

    /// The TLS alerts about this client's certificate (RFC 8446, section 6.2), in OpenSSL's words. Without a
    /// certificate, TLS 1.2 has only "handshake failure".
    private static let alertsOfCertificate = [
        "certificate", "unknown ca", "access denied", "decrypt error", "handshake failure",
    ]

    /// OpenSSL's words for a connection that ended.
    private static let endings = ["unexpected eof", "shutdown while in init", "protocol is shutdown"]

    /// Returns the system's error in a line of OpenSSL, such as
    /// `OpenSSL Error[0]: error:80000068:system library::Connection reset by peer`.
    private static func systemError(in line: String) -> Int32? {
        let parts = line.split(separator: ":")
        guard parts.count > 3, parts[0].hasPrefix("OpenSSL Error"), parts[3] == "system library",
            let code = UInt32(parts[2], radix: 16)
        else { return nil }
        return Int32(code & 0x7FFF_FFFF)
    }

    private init(libraryEvidence evidence: Evidence, configuration: LinkConfiguration) {
        switch mosq_err_t(evidence.libraryCode) {
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_DUPLICATE_PROPERTY,
            MOSQ_ERR_NOMEM, MOSQ_ERR_NOT_FOUND, MOSQ_ERR_NOT_SUPPORTED:
            self = .protocolError(detail: String(cString: mosquitto_strerror(evidence.libraryCode)))
        case MOSQ_ERR_KEEPALIVE where evidence.wasConnected:
            self = .keepAliveTimeout(seconds: configuration.keepAliveSeconds)
        case MOSQ_ERR_ERRNO where evidence.systemError != 0, MOSQ_ERR_TLS where evidence.isNetworkError:
            self.init(
                systemError: evidence.systemError, wasConnected: evidence.wasConnected, configuration: configuration)
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            self = .hostNotFound(host: configuration.endpoint.host, detail: "no address")
        case MOSQ_ERR_INVAL:
            self = .invalidSetting(
                detail: "the library rejects an argument; check client id, user name and topic of the will")
        default:
            self = evidence.wasConnected ? .closedByBroker : .closedBeforeConnack
        }
    }

    init(systemError: Int32, wasConnected: Bool, configuration: LinkConfiguration) {
        let text = String(cString: strerror(systemError))
        switch systemError {
        case ECONNREFUSED:
            self = .connectionRefused(host: configuration.endpoint.host, port: configuration.endpoint.port)
        case ETIMEDOUT where !wasConnected:
            self = .timedOut(
                host: configuration.endpoint.host, port: configuration.endpoint.port,
                seconds: Int(configuration.connectTimeoutSeconds))
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL:
            self = .unreachable(host: configuration.endpoint.host, detail: text)
        case ECONNRESET where !wasConnected, EPIPE where !wasConnected, EPROTO where !wasConnected:
            self = .closedBeforeConnack
        // The broker had closed the connection before this write. The library calls an end without TLS's own farewell a
        // protocol error.
        case EPIPE, EPROTO: self = .closedByBroker
        default: self = .connectionLost(detail: text)
        }
    }

    static func reasonString(_ reason: Int32) -> String { String(cString: mosquitto_reason_string(reason)) }

    /// Returns the last part of `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`.
    private static func opensslReason(_ line: String) -> String {
        line.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? line
    }
}
