import OdographTerminal
import OdographWire

/// A vehicle of the database, as the doctor sees it.
struct CheckedVehicle: Hashable {
    /// The fleet's name.
    var fleet: String
    /// The vehicle's name.
    var device: String
    /// Whether a record of it was stored at any time.
    var hasRecord: Bool
    /// Whether its agent reads receipts.
    var readsReceipts: Bool
}

/// The vehicles of a database, and its name.
struct CheckedVehicles: Hashable {
    /// The random name of the database.
    var databaseID: String
    /// The vehicles.
    var vehicles: [CheckedVehicle]
}

/// Checks whether each vehicle has records and a receipt of this database.
struct VehicleCheck {
    private static let subject = "vehicles"
    /// The number of vehicles that a finding names.
    private static let namedVehicles = 5

    private let recording: RecordingSettings
    private let broker: BrokerObservation

    init(_ recording: RecordingSettings, broker: BrokerObservation) {
        (self.recording, self.broker) = (recording, broker)
    }

    /// - Parameter database: The vehicles; nil if the database cannot be read.
    func findings(_ database: CheckedVehicles?) -> [Finding] {
        guard let database else { return [] }
        let vehicles = database.vehicles.filter { recording.fleets.contains($0.fleet) }
        var findings: [Finding] = []
        for fleet in recording.fleets where !vehicles.contains(where: { $0.fleet == fleet }) {
            findings.append(
                Finding(
                    .warn, Self.subject, "no vehicle of the fleet \(fleet) has published anything",
                    advice: "correct fleets, or wait for the first connection"))
        }
        let silent = vehicles.filter { !$0.hasRecord }
        if !silent.isEmpty {
            findings.append(
                Finding(
                    .warn, Self.subject, "without a record: \(names(silent))",
                    advice: "run odograph doctor in the vehicle; the broker's rules may refuse its positions"))
        }
        findings += receiptFindings(vehicles, databaseID: database.databaseID)
        if findings.isEmpty, !vehicles.isEmpty {
            findings.append(
                Finding(.ok, Self.subject, "\(vehicles.count), each with records and the receipt that it reads"))
        }
        return findings
    }

    private func receiptFindings(_ vehicles: [CheckedVehicle], databaseID: String) -> [Finding] {
        var findings: [Finding] = []
        let foreign = broker.receipts.filter { $0.value != databaseID }.map {
            CheckedVehicle(fleet: $0.key.fleet, device: $0.key.device, hasRecord: true, readsReceipts: true)
        }
        if !foreign.isEmpty {
            findings.append(
                Finding(
                    .warn, "receipts",
                    "another database has published under the name \(recording.receipts.recorder): "
                        + names(foreign),
                    advice: "if its recorder runs, set another \"name\" in one of the two configurations; a recorder "
                        + "replaces the receipts of a former database at its start"))
        }
        guard broker.hasReceipts else { return findings }
        let known = Set(broker.receipts.keys.map { "\($0.fleet)/\($0.device)" })
        let missing = vehicles.filter { $0.readsReceipts && !known.contains("\($0.fleet)/\($0.device)") }
        if !missing.isEmpty {
            findings.append(
                Finding(
                    .warn, "receipts", "no receipt for vehicles that read them: \(names(missing))",
                    advice: "start the recorder; if it runs, read its log"))
        }
        return findings
    }

    private func names(_ vehicles: [CheckedVehicle]) -> String {
        let sorted = vehicles.map { "\($0.fleet)/\($0.device)" }.sorted()
        let rest = sorted.count - Self.namedVehicles
        return sorted.prefix(Self.namedVehicles).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
