import COdographMosquitto
import COdographMosquittoGuard
import Glibc

/// The sole owner of a libmosquitto client. Each connection attempt has a new client, so that the library has no old
/// messages to send again, and packet identifiers begin at 1.
///
/// Only the client's thread may use it.
struct MosquittoHandle: ~Copyable {
    private let client: OpaquePointer
    let version: MQTTVersion

    /// The result of the library's initialization, once for each process.
    private static let isLibraryReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    /// - Parameter callbacks: Must outlive the handle.
    init(_ configuration: LinkConfiguration, version: MQTTVersion, callbacks: CallbackContext) throws(LinkFailure) {
        guard Self.isLibraryReady else { throw .invalidSetting(detail: "libmosquitto cannot be initialised") }
        let identifier = configuration.clientID.isEmpty ? nil : configuration.clientID
        let isClean = configuration.cleanStart || identifier == nil
        guard let client = mosquitto_new(identifier, isClean, Unmanaged.passUnretained(callbacks).toOpaque()) else {
            throw .invalidSetting(detail: "libmosquitto rejects the client id \"\(configuration.clientID)\"")
        }
        self.client = client
        self.version = version
    }

    /// Sets the options that the library needs before it connects.
    func configure(_ configuration: LinkConfiguration) throws(LinkFailure) {
        mosquitto_int_option(
            client, MOSQ_OPT_PROTOCOL_VERSION, version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        // The library's maximum in flight must not be the smaller one: it queues further messages without a bound.
        mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 65_535)
        try Self.check(
            mosquitto_username_pw_set(client, configuration.username, configuration.password?.revealed),
            "user name or password")
        setCallbacks()
        if case .tls(let settings) = configuration.endpoint.transport { try setTLS(settings) }
    }

    deinit { mosquitto_destroy(client) }

    private static func check(_ code: Int32, _ what: String) throws(LinkFailure) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw .invalidSetting(detail: "libmosquitto rejects \(what): \(String(cString: mosquitto_strerror(code)))")
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(client) { _, context, reason, flags, properties in
            CallbackContext.from(context)?.handleConnack(reason: reason, flags: flags, properties: properties)
        }
        mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in
            // A reason below 0x80 is the library's own code, which the current call also returns.
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
            // The library may free its TLS connection before the current call returns.
            if callbacks.certificateVerifyResult == nil, let client,
                callbacks.logLines.last?.contains("verify failed") == true
            {
                callbacks.certificateVerifyResult = MosquittoHandle.certificateVerifyResult(of: client)
            }
        }
    }

    /// Removes the log callback: with one, the library formats a line for each packet.
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
            throw .invalidSetting(detail: "a client certificate needs its private key; give both or none")
        }
        let isSystem = settings.caFile == nil && settings.caFolder == nil
        if isSystem { mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
        let code = mosquitto_tls_set(
            client, settings.caFile, isSystem ? "/etc/ssl/certs" : settings.caFolder,
            settings.certificateFile, settings.keyFile,
            // Without this callback OpenSSL would ask for a passphrase on the terminal.
            { _, _, _, _ in 0 })
        try Self.check(code, "the TLS files")
        // 1 is SSL_VERIFY_PEER; the version is the minimum.
        try Self.check(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil), "TLS 1.2")
        if let name = settings.alpn {
            try Self.check(mosquitto_string_option(client, MOSQ_OPT_TLS_ALPN, name), "the ALPN protocol")
        }
        try Self.check(mosquitto_tls_insecure_set(client, false), "the check of the host name")
    }

    func setWill(_ will: OutgoingMessage) throws(LinkFailure) {
        let code = will.payload.withUnsafeBytes { bytes in
            mosquitto_will_set_v5(
                client, will.topic, Int32(bytes.count), bytes.baseAddress, will.qos.rawValue, will.isRetained, nil)
        }
        try Self.check(code, "the last will")
    }

    /// Starts to connect to an address of the host. Returns the code; for `MOSQ_ERR_ERRNO`, see `errno`.
    func connect(_ configuration: LinkConfiguration, to address: BrokerAddress) -> Int32 {
        if version == .v5 { setConnectProperties(configuration) }
        return odograph_mosquitto_connect(
            client, configuration.endpoint.host, Int32(configuration.endpoint.port),
            Int32(configuration.announcedKeepAliveSeconds),
            address.text)
    }

    /// Sets the properties of CONNECT. The library accepts them only in the blocking connect call, and keeps them for
    /// the non-blocking one. So the blocking call is made first, with port 0: it fails before it creates a socket.
    private func setConnectProperties(_ configuration: LinkConfiguration) {
        var properties: OpaquePointer?
        let packetBytes = UInt32(configuration.maximumIncomingBytes + configuration.incomingRoomBytes)
        mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), packetBytes)
        if configuration.sessionExpirySeconds > 0 {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), configuration.sessionExpirySeconds)
        }
        mosquitto_connect_bind_v5(client, "", 0, Int32(configuration.announcedKeepAliveSeconds), nil, properties)
        mosquitto_property_free_all(&properties)
    }

    /// The socket; nil if there is none.
    var socket: Int32? {
        let descriptor = mosquitto_socket(client)
        return descriptor < 0 ? nil : descriptor
    }

    /// The ends of the certificates by which the broker was known; nil without TLS.
    var serverCertificates: ServerCertificates? { mosquitto_ssl_get(client).map(ServerCertificates.init(of:)) }

    var wantsWrite: Bool { mosquitto_want_write(client) }

    func read() -> Int32 { odograph_mosquitto_loop_read(client) }
    func write() -> Int32 { mosquitto_loop_write(client, 1) }
    func keepAlive() -> Int32 { mosquitto_loop_misc(client) }
    func disconnect() { mosquitto_disconnect_v5(client, 0, nil) }

    /// Publishes a message. Returns the library's code and the packet identifier, 0 if the library assigned none.
    /// - Parameter form: How the topic is sent. An alias needs MQTT 5.
    func publish(_ message: OutgoingMessage, topicAs form: TopicAliases.Form) -> (code: Int32, identifier: UInt16) {
        var identifier: Int32 = 0
        var properties = version == .v5 ? message.properties.flatMap(Self.propertyList) : nil
        var topic: String? = message.topic
        switch form {
        case .topic: break
        case .definition(let alias): Self.add(alias, to: &properties)
        case .alias(let alias):
            topic = nil
            Self.add(alias, to: &properties)
        }
        let code = message.payload.withUnsafeBytes { bytes in
            mosquitto_publish_v5(
                client, &identifier, topic, Int32(clamping: bytes.count), bytes.baseAddress, message.qos.rawValue,
                message.isRetained, properties)
        }
        if properties != nil { mosquitto_property_free_all(&properties) }
        return (code, UInt16(truncatingIfNeeded: identifier))
    }

    private static func add(_ alias: UInt16, to properties: inout OpaquePointer?) {
        mosquitto_property_add_int16(&properties, Int32(MQTT_PROP_TOPIC_ALIAS.rawValue), alias)
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
        for pair in properties.userProperties {
            mosquitto_property_add_string_pair(
                &list, Int32(MQTT_PROP_USER_PROPERTY.rawValue), pair.name, pair.value)
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

    /// Returns the result of OpenSSL's verification of the broker's certificate; nil without TLS. The library does not
    /// pass it on. Only it distinguishes an expired certificate from an unknown authority.
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
