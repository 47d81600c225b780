import OdographHTTP

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
