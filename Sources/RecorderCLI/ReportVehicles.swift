import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographSettings
import OdographTerminal

/// The options that select the vehicles of a report.
struct ReportVehicles: ParsableArguments {
    @Option(help: ArgumentHelp("One vehicle.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The vehicles of a group, as their newest reports state it.", valueName: "name"))
    var group: String?

    @Flag(help: "All vehicles.")
    var all = false

    @Option(help: ArgumentHelp("Only vehicles of this fleet.", valueName: "name"))
    var fleet: String?

    /// Whether there can be several vehicles.
    var areSeveral: Bool { device == nil }

    /// Checks that the vehicles are selected in one way.
    func requireSelection() throws {
        guard [device != nil, group != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("Give exactly one of --device NAME, --group NAME and --all.")
        }
    }

    /// Returns the vehicles.
    /// - Throws: `ExitError` if there is none.
    func vehicles(in history: HistoryDatabase) throws -> [ArchivedVehicle] {
        if let device { return [try history.vehicle(named: device, fleet: fleet)] }
        let found =
            try group.map { group throws in try history.vehicles(ofGroup: group, fleet: fleet) }
            ?? history.vehicles(fleet: fleet, device: nil)
        guard !found.isEmpty else {
            let place = fleet.map { "the fleet \($0.printable)" } ?? "the database"
            throw ExitError(
                .dataError, "\(place) has no vehicle\(group.map { " of the group \($0.printable)" } ?? "")")
        }
        return found
    }

    /// The title of a page about several vehicles.
    /// - Parameter time: The name of the time.
    func title(_ time: String) -> String {
        [fleet, group.map { "group \($0)" }, time].compactMap { $0 }.joined(separator: ", ")
    }
}
