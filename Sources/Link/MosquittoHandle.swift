import CMosquitto
import CMosquittoGuard
import Glibc

/// The one owner of a libmosquitto client. It lives for one attempt to connect and what comes of it: a new attempt has
/// a new one, so that the library has nothing to send again behind our back, and packet identifiers begin anew.
///
/// All of it is called by the session's thread only.
struct MosquittoHandle: ~Copyable {
    private let client: OpaquePointer
    let version: MQTTVersion

    /// The library's own set-up, once a process.
    private static let isLibraryReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    /// - Parameter callbacks: must outlive the handle.
    init(_ configuration: LinkConfiguration, version: MQTTVersion, callbacks: CallbackContext) throws(LinkFailure) {
        guard Self.isLibraryReady else { throw .invalidSetting(detail: "libmosquitto cannot be set up") }
        let identifier = configuration.clientID.isEmpty ? nil : configuration.clientID
        let isClean = configuration.cleanStart || identifier == nil
        guard let client = mosquitto_new(identifier, isClean, Unmanaged.passUnretained(callbacks).toOpaque()) else {
            throw .invalidSetting(detail: "libmosquitto refuses the client id \"\(configuration.clientID)\"")
        }
        self.client = client
        self.version = version
    }

    /// Tells the library all that it must know before it connects.
    func configure(_ configuration: LinkConfiguration) throws(LinkFailure) {
        mosquitto_int_option(
            client, MOSQ_OPT_PROTOCOL_VERSION, version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        // The library's own window must never be the narrower one: what does not fit it, it queues without a bound.
        mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 65_535)
        try Self.check(
            mosquitto_username_pw_set(client, configuration.username, configuration.password?.revealed),
            "user name or password")
        setCallbacks()
        if case .tls(let settings) = configuration.transport { try setTLS(settings) }
    }

    deinit { mosquitto_destroy(client) }

    private static func check(_ code: Int32, _ what: String) throws(LinkFailure) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw .invalidSetting(detail: "libmosquitto refuses \(what): \(String(cString: mosquitto_strerror(code)))")
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(client) { _, context, reason, flags, properties in
            CallbackContext.from(context)?.handleConnack(reason: reason, flags: flags, properties: properties)
        }
        mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in
            // Below 0x80 it is the library's own code, which the call in progress returns as well.
            if reason >= 0x80 { CallbackContext.from(context)?.disconnectReason = reason }
        }
        mosquitto_publish_v5_callback_set(client) { _, context, identifier, reason, _ in
            CallbackContext.from(context)?.pubacks.append((UInt16(truncatingIfNeeded: identifier), reason))
        }
        mosquitto_message_v5_callback_set(client) { _, context, message, properties in
            if let message { CallbackContext.from(context)?.handleMessage(message.pointee, properties: properties) }
        }
        mosquitto_subscribe_v5_callback_set(client) { _, context, identifier, count, granted, _ in
            guard count > 0, let granted else { return }
            CallbackContext.from(context)?.subacks.append((UInt16(truncatingIfNeeded: identifier), granted[0]))
        }
        mosquitto_log_callback_set(client) { client, context, _, line in
            guard let callbacks = CallbackContext.from(context) else { return }
            callbacks.appendLogLine(line)
            // The library may give its TLS connection up before the call in progress returns.
            if callbacks.certificateVerifyResult == nil, let client,
                callbacks.logLines.last?.contains("verify failed") == true
            {
                callbacks.certificateVerifyResult = MosquittoHandle.certificateVerifyResult(of: client)
            }
        }
    }

    /// Ends the library's log: with a listener it formats a line per packet.
    func disableLogging() { mosquitto_log_callback_set(client, nil) }

    private func setTLS(_ settings: TLSSettings) throws(LinkFailure) {
        let files: [(LinkFailure.FileRole, String?)] = [
            (.authorities, settings.caFile), (.authorities, settings.caFolder),
            (.certificate, settings.certificateFile), (.key, settings.keyFile),
        ]
        for case (let role, let path?) in files where access(path, R_OK) != 0 {
            throw .fileUnusable(role: role, path: path, detail: String(cString: strerror(errno)))
        }
        guard (settings.certificateFile == nil) == (settings.keyFile == nil) else {
            throw .invalidSetting(detail: "a client certificate and its private key go together; give both or none")
        }
        let isSystem = settings.caFile == nil && settings.caFolder == nil
        if isSystem { mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
        let code = mosquitto_tls_set(
            client, settings.caFile, isSystem ? "/etc/ssl/certs" : settings.caFolder,
            settings.certificateFile, settings.keyFile,
            // Without it OpenSSL would ask for a passphrase on the terminal.
            { _, _, _, _ in 0 })
        try Self.check(code, "the TLS files")
        // 1 is SSL_VERIFY_PEER; the version is the least one.
        try Self.check(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil), "TLS 1.2")
        try Self.check(mosquitto_tls_insecure_set(client, false), "the check of the host name")
    }

    func setWill(_ will: OutgoingMessage) throws(LinkFailure) {
        let code = will.payload.withUnsafeBytes { bytes in
            mosquitto_will_set_v5(
                client, will.topic, Int32(bytes.count), bytes.baseAddress, will.qos.rawValue, will.isRetained, nil)
        }
        try Self.check(code, "the last will")
    }

    /// Begins to connect, without waiting for anything but the resolver.
    /// - Returns: the library's code; `errno` has the system's where it is `MOSQ_ERR_ERRNO`.
    func connect(_ configuration: LinkConfiguration, bindAddress: String?) -> Int32 {
        if version == .v5 { setConnectProperties(configuration) }
        return mosquitto_connect_bind_async(
            client, configuration.host, Int32(configuration.port), Int32(configuration.keepAliveSeconds), bindAddress)
    }

    /// The library takes the properties of CONNECT only in the call that connects and blocks, and keeps them for the
    /// one that does not; so that call is made first with port 0, which it gives up before any socket is made.
    private func setConnectProperties(_ configuration: LinkConfiguration) {
        var properties: OpaquePointer?
        let packetBytes = UInt32(configuration.maximumIncomingBytes) + 65_536 + 1024
        mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), packetBytes)
        if configuration.sessionExpirySeconds > 0 {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), configuration.sessionExpirySeconds)
        }
        mosquitto_connect_bind_v5(client, "", 0, Int32(configuration.keepAliveSeconds), nil, properties)
        mosquitto_property_free_all(&properties)
    }

    /// The socket; nil where there is none (any more).
    var socket: Int32? {
        let descriptor = mosquitto_socket(client)
        return descriptor < 0 ? nil : descriptor
    }

    var wantsWrite: Bool { mosquitto_want_write(client) }

    func read() -> Int32 { odograph_mosquitto_loop_read(client) }
    func write() -> Int32 { mosquitto_loop_write(client, 1) }
    func keepAlive() -> Int32 { mosquitto_loop_misc(client) }
    func disconnect() { mosquitto_disconnect_v5(client, 0, nil) }

    /// - Returns: the library's code, and the packet identifier it gave (0 where it gave none).
    func publish(_ message: OutgoingMessage) -> (code: Int32, identifier: UInt16) {
        var identifier: Int32 = 0
        var properties = version == .v5 ? message.properties.flatMap(Self.propertyList) : nil
        let code = message.payload.withUnsafeBytes { bytes in
            mosquitto_publish_v5(
                client, &identifier, message.topic, Int32(clamping: bytes.count), bytes.baseAddress,
                message.qos.rawValue, message.isRetained, properties)
        }
        if properties != nil { mosquitto_property_free_all(&properties) }
        return (code, UInt16(truncatingIfNeeded: identifier))
    }

    private static func propertyList(_ properties: OutgoingMessage.Properties) -> OpaquePointer? {
        var list: OpaquePointer?
        if let data = properties.correlationData {
            _ = data.withUnsafeBytes {
                mosquitto_property_add_binary(
                    &list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), $0.baseAddress, UInt16(clamping: $0.count))
            }
        }
        if let type = properties.contentType {
            mosquitto_property_add_string(&list, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), type)
        }
        if let seconds = properties.messageExpirySeconds {
            mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), seconds)
        }
        if let topic = properties.responseTopic {
            mosquitto_property_add_string(&list, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), topic)
        }
        return list
    }

    func subscribe(_ filter: String) -> (code: Int32, identifier: UInt16) {
        var identifier: Int32 = 0
        let code = mosquitto_subscribe_v5(client, &identifier, filter, 1, 0, nil)
        return (code, UInt16(truncatingIfNeeded: identifier))
    }

    func unsubscribe(_ filter: String) -> (code: Int32, identifier: UInt16) {
        var identifier: Int32 = 0
        let code = mosquitto_unsubscribe(client, &identifier, filter)
        return (code, UInt16(truncatingIfNeeded: identifier))
    }

    /// OpenSSL's verdict on the broker's certificate; nil without TLS. The library keeps it to itself, and whether a
    /// certificate has expired or its authority is unknown stands nowhere else. OpenSSL is in the process already.
    private static func certificateVerifyResult(of client: OpaquePointer) -> (code: Int, text: String)? {
        typealias VerifyResult = @convention(c) (UnsafeMutableRawPointer) -> Int
        typealias ErrorString = @convention(c) (Int) -> UnsafePointer<CChar>?
        guard let connection = mosquitto_ssl_get(client),
            let verifyResult = dlsym(nil, "SSL_get_verify_result"),
            let errorString = dlsym(nil, "X509_verify_cert_error_string")
        else { return nil }
        let code = unsafeBitCast(verifyResult, to: VerifyResult.self)(connection)
        let text = unsafeBitCast(errorString, to: ErrorString.self)(code)
        return (code, text.map { String(cString: $0) } ?? "error \(code)")
    }
}
