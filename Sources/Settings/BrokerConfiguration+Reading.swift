import OdographLink

extension BrokerConfiguration {
    /// Reads the keys under `broker`.
    /// - Returns: nil if the address is missing or invalid. The reader then has the issue.
    package init?(_ reader: inout SettingsReader, paths: PathResolver) {
        let parsed = BrokerURL.list(&reader)
        if parsed == nil, !reader.hasValue("url") {
            reader.reject("url", "missing; write the broker's address, such as \"mqtts://broker.example:8883\"")
        }
        reader.forbid(
            "password",
            "a configuration must not contain a password; put it into a separate file and set password_file, "
                + "or set \(BrokerCredentials.environmentVariable)")
        self.init(url: Self.placeholderURL)
        if let parsed { urls = parsed }
        clientID = reader.string("client_id")
        username = reader.string("username")
        passwordFile = reader.string("password_file").map(paths.resolve)
        credentialsFolder = paths.credentials
        allowsInsecure = reader.bool("allow_insecure", default: allowsInsecure)
        keepAliveSeconds = reader.integer("keep_alive", default: keepAliveSeconds, in: 5...65_535, unit: "seconds")
        keepAliveMaximumSeconds = reader.optionalInteger("keep_alive_maximum", in: 5...65_535, unit: "seconds")
        protocolPreference = reader.choice("protocol", default: ProtocolChoice.auto).preference
        maximumInFlight = reader.integer("maximum_in_flight", default: maximumInFlight, in: 1...1000, unit: "messages")
        maximumInFlightBytes = reader.optionalInteger(
            "maximum_in_flight_bytes", in: 1000...1_000_000_000, unit: "bytes")
        maximumMessageBytes = reader.optionalInteger(
            "maximum_message_bytes", in: 1000...1_000_000_000, unit: "bytes")
        rateLimits = reader.object("rate") { reader in
            RateLimits(
                messagesPerSecond: reader.optionalInteger("messages", in: 1...1_000_000, unit: "messages"),
                bytesPerSecond: reader.optionalInteger("bytes", in: 1000...1_000_000_000, unit: "bytes"))
        }
        tls = reader.object("tls") { TLSSettings(&$0, paths: paths) }
        let (minimum, maximum) = (reconnectMinimumSeconds, reconnectMaximumSeconds)
        let bounds = reader.object("reconnect") { reader in
            (
                reader.number("minimum", default: minimum, in: 0.1...3600, unit: "seconds"),
                reader.number("maximum", default: maximum, in: 1...86_400, unit: "seconds")
            )
        }
        (reconnectMinimumSeconds, reconnectMaximumSeconds) = bounds
        if isInsecure, !allowsInsecure, parsed != nil {
            reader.reject(
                "url",
                "the connection would not be encrypted; use mqtts://, or set allow_insecure: true"
            )
        }
        guard parsed != nil else { return nil }
    }

    /// A replacement for an invalid address, so that the other keys can be read and checked.
    private static let placeholderURL: BrokerURL = {
        guard let url = try? BrokerURL("mqtt://127.0.0.1:1883") else {
            preconditionFailure("a loopback address parses")
        }
        return url
    }()
}

/// The values of the key `protocol`.
private enum ProtocolChoice: String, CaseIterable {
    case auto
    case v5 = "5"
    case v311 = "3.1.1"

    var preference: ProtocolPreference {
        switch self {
        case .auto: .automatic
        case .v5: .v5
        case .v311: .v311
        }
    }
}

extension TLSSettings {
    fileprivate init(_ reader: inout SettingsReader, paths: PathResolver) {
        self.init(
            caFile: reader.string("ca_file").map(paths.resolve),
            caFolder: reader.string("ca_folder").map(paths.resolve),
            certificateFile: reader.string("certificate_file").map(paths.resolve),
            keyFile: reader.string("key_file").map(paths.resolve), alpn: reader.string("alpn"))
        // The library cuts a longer name off, and a zero byte ends it.
        if let alpn, !(1...254).contains(alpn.utf8.count) || alpn.utf8.contains(0) {
            reader.reject("alpn", "write a protocol name of 1 to 254 bytes, such as \"mqtt\"")
        }
        if (certificateFile == nil) != (keyFile == nil) {
            reader.reject(
                certificateFile == nil ? "certificate_file" : "key_file",
                "missing; certificate_file and key_file go together")
        }
    }
}
