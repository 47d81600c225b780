import OdographCivilTime
import OdographJSON

/// An order to erase records.
package struct Erasure: Hashable, Sendable {
    /// The owner of the records.
    package enum Subject: Hashable, Sendable {
        /// All records of a vehicle.
        case vehicle(ArchivedVehicle)
        /// The positions of all vehicles with this driver, as `driver` or `extras.driver`, and the timeline events of
        /// this driver and during these positions.
        case driver(String)
    }

    /// The owner of the records.
    package let subject: Subject
    /// The beginning of the time to erase; nil for no limit.
    package let from: Timestamp?
    /// The end of the time to erase; nil for no limit.
    package let to: Timestamp?

    /// - Parameters: As the properties of the same names.
    package init(_ subject: Subject, from: Timestamp?, to: Timestamp?) {
        self.subject = subject
        self.from = from
        self.to = to
    }

    /// The driver; nil for a vehicle.
    var driver: String? {
        if case .driver(let name) = subject { name } else { nil }
    }

    /// Whether all that is known about a vehicle is erased.
    package var isWholeVehicle: Bool { driver == nil && from == nil && to == nil }
}

/// The numbers of rows that an erasure removed for a vehicle.
package struct ErasedRows: Hashable, Sendable {
    /// The vehicle.
    package let vehicle: ArchivedVehicle
    /// The positions.
    package var positions = 0
    /// The records of the timeline.
    package var revisions = 0
    /// The events of the timeline.
    package var events = 0
    /// The records with the number of another record.
    package var conflicts = 0
    /// The messages that violate the contract.
    package var rejected = 0

    /// Whether the report of the vehicle contained the driver.
    package var hadReport = false

    init(_ vehicle: ArchivedVehicle) { self.vehicle = vehicle }

    /// Returns the numbers as one JSON object and a newline.
    package func json() throws -> String {
        let numbers = [
            "positions": positions, "revisions": revisions, "events": events, "conflicts": conflicts,
            "rejected": rejected,
        ]
        var members = numbers.mapValues { JSONValue.integer(Int64($0)) }
        (members["fleet"], members["device"]) = (.string(vehicle.fleet), .string(vehicle.device))
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }

    /// The numbers as a line for people.
    package var text: String {
        "\(vehicle.fleet)/\(vehicle.device): \(positions) positions, \(revisions) revisions of \(events) events, "
            + "\(conflicts) conflicts, \(rejected) rejected messages\n"
    }
}
