import Odograph
import OdographOperator

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
}
