import OdographCivilTime
import OdographJSON
import OdographWire

/// An alert of the database.
package struct StoredAlert: Hashable, Sendable {
    /// The kind of the alert of a problem that a vehicle reported. All other kinds are those of rules.
    static let problemKind = "problem"

    /// A place in the order of the alerts, the newest first.
    package struct Place: Hashable, Sendable {
        /// The time of the alert.
        package var time: String
        /// The key in the database.
        package var key: Int64

        var text: String { "\(time)/\(key)" }

        /// - Parameters: As the properties of the same names.
        package init(time: String, key: Int64) { (self.time, self.key) = (time, key) }

        /// Reads the place of an answer.
        init(text: String) throws(HistoryRefusal) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let time = Timestamp(iso8601: parts[0]), let key = Int64(parts[1]) else {
                throw .wrongPlace
            }
            self.init(time: time.iso8601, key: key)
        }
    }

    /// The key in the database.
    package let key: Int64
    /// The identifier, the same for the same thing.
    package let identifier: String
    /// The vehicle.
    package let vehicle: ArchivedVehicle
    /// `when` of the rule, or `problem`.
    package let kind: String
    /// The rule; nil for a problem.
    package let rule: String?
    /// The owner of the certificate that ends, `vehicle`, `broker` or `authority`; nil for another kind.
    package var certificate: String?
    /// When it happened or began.
    package let time: String
    /// Whether it lasts.
    package let isOpen: Bool
    /// When it ended; nil for what happened once, and for what lasts.
    package var end: String?
    /// A sentence for people.
    package let text: String
    /// The login of the person who has acknowledged it, and when; nil if no person has.
    package let acknowledgement: Acknowledgement?

    /// The person who has acknowledged an alert, and the time.
    package struct Acknowledgement: Hashable, Sendable {
        /// The login.
        package let person: String
        /// The time.
        package let time: String
    }

    /// The place in the order of the alerts.
    var place: Place { Place(time: time, key: key) }

    /// The alert as a row of an answer.
    var row: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(identifier), "device": .string(vehicle.device), "kind": .string(kind), "time": .string(time),
            "text": .string(text), "is_open": .bool(isOpen),
        ]
        members["rule"] = rule.map { .string($0) }
        members["certificate"] = certificate.map { .string($0) }
        members["end"] = end.map { .string($0) }
        members["acknowledged_by"] = acknowledgement.map { .string($0.person) }
        members["acknowledged_at"] = acknowledgement.map { .string($0.time) }
        return .object(members)
    }
}
