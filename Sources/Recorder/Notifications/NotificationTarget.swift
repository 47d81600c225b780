import OdographHTTP

/// The place where the notifications of a rule go.
package enum NotificationTarget: Hashable, Sendable {
    /// A web service that gets a POST with JSON.
    case webhook(WebService)
    /// A program that the recorder runs with JSON on its standard input: an absolute path, and arguments.
    case command([String])

    /// The target in log messages. It contains no secret.
    var description: String {
        switch self {
        case .webhook(let service): service.address.origin
        case .command(let arguments): arguments.first ?? ""
        }
    }
}

/// A web service that gets requests of the recorder.
package struct WebService: Hashable, Sendable {
    /// The address.
    package var address: HTTPAddress
    /// The authorities that may have signed its certificate, PEM; nil for those of the system.
    package var caFile: String?
    /// The file whose first line is the token of the header `Authorization: Bearer`; nil for none.
    package var tokenFile: String?

    /// - Parameters: As the properties of the same names.
    package init(_ address: HTTPAddress, caFile: String? = nil, tokenFile: String? = nil) {
        (self.address, self.caFile, self.tokenFile) = (address, caFile, tokenFile)
    }
}
