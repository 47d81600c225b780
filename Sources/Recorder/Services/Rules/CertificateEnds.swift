import OdographCivilTime
import OdographJSON

/// The ends of the validity of certificates, as a report states them in `certificates`.
struct CertificateEnds: Hashable, Sendable, Decodable {
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

    private var vehicle: Timestamp?
    private var broker: Timestamp?
    private var authority: Timestamp?

    /// - Parameters: The ends; nil for those that the vehicle does not know.
    init(vehicle: Timestamp? = nil, broker: Timestamp? = nil, authority: Timestamp? = nil) {
        (self.vehicle, self.broker, self.authority) = (vehicle, broker, authority)
    }

    /// Reads the ends from the payload of a report. A payload without them has none.
    init(payload: String) {
        let report = try? JSONCoder.decode(Report.self, from: Array(payload.utf8))
        self = report?.certificates ?? CertificateEnds()
    }

    /// The end of the validity of a certificate; nil if the vehicle does not know it.
    subscript(part: Part) -> Timestamp? {
        switch part {
        case .vehicle: vehicle
        case .broker: broker
        case .authority: authority
        }
    }

    private struct Report: Decodable {
        let certificates: CertificateEnds?
    }
}
