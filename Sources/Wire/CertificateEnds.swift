import OdographCivilTime

/// The ends of the certificates between a vehicle and its broker.
public struct CertificateEnds: Hashable, Sendable, Codable {
    /// The end of the certificate by which the broker knows the vehicle; absent if it has none.
    public var vehicle: Timestamp?
    /// The end of the broker's certificate, as the vehicle has seen it on its newest connection.
    public var broker: Timestamp?
    /// The end of the authority of the broker's certificate, as the vehicle trusts it.
    public var authority: Timestamp?

    /// Creates the ends from their values.
    public init(vehicle: Timestamp? = nil, broker: Timestamp? = nil, authority: Timestamp? = nil) {
        self.vehicle = vehicle
        self.broker = broker
        self.authority = authority
    }

    /// The time before an end from which on it needs attention, seconds: 45 days. Vehicles ask earlier for a new one.
    public static let attentionSeconds = 45 * 86_400.0

    /// The first end that needs attention at a time, with the name of its key; nil if there is none.
    public func attention(at now: Timestamp) -> (name: String, end: Timestamp)? {
        let ends = [("vehicle", vehicle), ("broker", broker), ("authority", authority)]
        return ends.compactMap { name, end in end.map { (name, $0) } }
            .filter { $0.1.seconds(since: now) < Self.attentionSeconds }
            .min { $0.1 < $1.1 }
    }
}
