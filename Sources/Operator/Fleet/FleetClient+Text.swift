import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

extension FleetClient.Vehicle {
    /// Returns the configuration in force as text.
    public func configurationText(name: String) throws -> String {
        guard let report else { return "\(name) has no report".printable + "\n" }
        var lines: [String] = []
        for level in report.levels {
            var text = "\(level.level): \(level.isApplied ? "applied" : "refused"), "
            text += level.version.map { "version \($0)" } ?? "no version"
            if let hash = level.hashInForce {
                text +=
                    "; in force: \(level.versionInForce.map { "version \($0)" } ?? FleetLevelStatus.documentName(nil, hash))"
            }
            if level.isRetained == false { text += "; the broker no longer retains it, the vehicle still uses it" }
            lines.append(text)
        }
        if report.levels.isEmpty { lines.append("only the vehicle's local file") }
        for level in report.geofences.levels {
            lines.append(
                "\(level.level): \(Format.count(level.count + level.singleCount, "geofence", "geofences")) in force"
                    + (level.errorCount > 0 ? ", \(level.errorCount) refused" : "")
                    + (level.isApplied ? "" : "; the newest document is refused"))
        }
        lines += report.documentErrors.map { "refused: \($0.topic): \($0.detail)" }
        let text = lines.map { $0.printable + "\n" }.joined()
        guard let configuration = report.configuration else { return text }
        return text + (try JSONCoder.prettyString(of: configuration)) + "\n"
    }
}

extension FleetClient.Vehicle {
    /// Returns the configuration in force, the documents and their errors as one JSON object and a newline.
    func configurationJSON(name: String) throws -> String {
        var members: [String: JSONValue] = [
            "device": .string(name), "configuration": report?.configuration ?? .null,
            "errors": .array((report?.documentErrors ?? []).map(\.jsonValue)),
        ]
        members["levels"] = try JSONCoder.value(of: report?.levels ?? [])
        members["geofences"] = try JSONCoder.value(of: report?.geofences.levels ?? [])
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }
}

extension FleetClient {
    /// Returns the configuration in force in a vehicle as one JSON object and a newline. `configuration` is null if it
    /// is not known.
    /// - Throws: `ExitError` if the vehicle has never reported, or its report cannot be read.
    public func configurationJSON(device: String) async throws -> String {
        try await reportedVehicle(device).configurationJSON(name: device)
    }

    /// Returns the configuration in force in a vehicle as text. If its report lacks the merged configuration, the
    /// vehicle is asked for it.
    /// - Throws: `ExitError` if the vehicle has never reported, or its report cannot be read.
    public func configurationText(device: String) async throws -> String {
        let vehicle = try await reportedVehicle(device)
        let note =
            vehicle.report?.configuration == nil
            ? "The merged configuration is unknown. \(device) reports it when it is online.\n" : ""
        return try vehicle.configurationText(name: device) + note
    }

    /// Returns what a vehicle has reported, with the merged configuration if it is online.
    private func reportedVehicle(_ device: String) async throws -> Vehicle {
        _ = await wait(seconds: 5) { desk in
            desk.vehicles[device].map { $0.report != nil || $0.reportFault != nil } ?? false
        }
        if let fault = vehicles[device]?.reportFault {
            throw ExitError(
                .dataError, "the report of \(device) at this broker violates the contract: \(fault.printable)")
        }
        guard var vehicle = vehicles[device], vehicle.report != nil else {
            throw ExitError(
                .unavailable, "\(device) has no report at this broker that can be read\(suggestion(for: device))")
        }
        guard vehicle.report?.configuration == nil, vehicle.status?.state == .online else { return vehicle }
        let answer = try? await sendCommand(.getConfiguration, parameters: [:], device: device, timeoutSeconds: 10)
        vehicle.report?.configuration = answer?.members["configuration"]
        return vehicle
    }
}
