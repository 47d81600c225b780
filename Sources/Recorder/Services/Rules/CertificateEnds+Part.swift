import OdographCivilTime
import OdographWire

extension CertificateEnds {
    /// A certificate that the connection of a vehicle needs.
    enum Part: String, Hashable, Sendable, CaseIterable {
        /// The one of the vehicle itself.
        case vehicle
        /// The one of the broker, which all vehicles of the fleet see.
        case broker
        /// The one of the authority that the vehicle trusts.
        case authority

        /// The certificate in a sentence about the vehicle.
        var text: String {
            switch self {
            case .vehicle: "has a certificate that"
            case .broker: "sees a broker whose certificate"
            case .authority: "trusts an authority whose certificate"
            }
        }

        /// Whether a whole fleet has the same one, so that one notification is enough.
        var isShared: Bool {
            switch self {
            case .vehicle: false
            case .broker, .authority: true
            }
        }
    }

    /// The end of the validity of a certificate; nil if the vehicle does not know it.
    subscript(part: Part) -> Timestamp? {
        switch part {
        case .vehicle: vehicle
        case .broker: broker
        case .authority: authority
        }
    }
}
