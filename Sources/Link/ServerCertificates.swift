import COdographTLS

/// The ends of the certificates by which a connection knows its broker.
package struct ServerCertificates: Sendable, Hashable {
    /// The last second of the validity of the broker's certificate, since 1970-01-01T00:00:00Z; nil if it is unknown.
    package var brokerUntilSecond: Int64?
    /// The same of the authority that has signed it, of those that this client trusts.
    package var authorityUntilSecond: Int64?

    /// Reads the certificates of a TLS connection.
    /// - Parameter connection: The connection of OpenSSL, after its handshake.
    init(of connection: UnsafeMutableRawPointer) {
        let ends = odograph_tls_read_ends(connection)
        brokerUntilSecond = ends.server == 0 ? nil : ends.server
        authorityUntilSecond = ends.authority == 0 ? nil : ends.authority
    }
}
