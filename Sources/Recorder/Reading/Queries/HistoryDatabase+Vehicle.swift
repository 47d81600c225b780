import OdographCivilTime
import OdographSettings
import OdographTerminal
import OdographWire

extension HistoryDatabase {
    /// Returns the vehicle with a name.
    /// - Parameter fleet: The fleet; nil if only one fleet has a vehicle of this name.
    /// - Throws: `ExitError` if there is none, or several; ``DatabaseFailure``.
    package func vehicle(named device: String, fleet: String?) throws -> ArchivedVehicle {
        let found = try vehicles(fleet: fleet, device: device)
        guard found.count <= 1 else {
            let fleets = found.map(\.fleet).joined(separator: ", ")
            throw ExitError(.usage, "several fleets have a vehicle \(device.printable): \(fleets); give --fleet")
        }
        guard let vehicle = found.first else {
            let place = fleet.map { "the fleet \($0.printable)" } ?? "the database"
            throw ExitError(
                .dataError,
                "\(place) has no vehicle \(device.printable); `odograph-recorder latest` lists the vehicles")
        }
        return vehicle
    }

    /// The most drivers of the positions of a trip that a report names.
    private static let maximumDrivers = 5

    /// Returns the drivers of the positions during trips that have no driver of their own, by `event_id`. A private
    /// trip has none: a position at the moment of its end is not of the trip.
    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - events: The events.
    package func drivers(
        of vehicle: ArchivedVehicle, during events: [TimelineEventRevision]
    ) throws(DatabaseFailure) -> [String: [String]] {
        var drivers: [String: [String]] = [:]
        for event in events where event.type == .inTransport && event.driver == nil && !event.isOfPrivateUse {
            let end = max(event.startDate, event.endDate ?? event.lastUpdateDate)
            drivers[event.eventID] = try self.drivers(
                of: vehicle, in: event.startDate..<end, limit: Self.maximumDrivers)
        }
        return drivers
    }
}
