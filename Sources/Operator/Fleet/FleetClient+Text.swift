import Odograph
import OdographCivilTime
import OdographJSON
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
                "\(level.level): geofences \(level.isApplied ? "applied" : "refused"), "
                    + Format.count(level.count + level.singleCount, "geofence", "geofences")
                    + (level.errorCount > 0 ? ", \(Format.count(level.errorCount, "error", "errors"))" : ""))
        }
        lines += report.documentErrors.map { "refused: \($0.topic): \($0.detail)" }
        let text = lines.map { $0.printable + "\n" }.joined()
        guard let configuration = report.configuration else { return text }
        return text + (try JSONCoder.prettyString(of: configuration)) + "\n"
    }
}

extension FleetClient {
    /// Returns the configuration in force in a vehicle as text. If its report lacks the merged configuration, the
    /// vehicle is asked for it.
    /// - Throws: ``ExitError`` if the vehicle has never reported.
    public func configurationText(device: String) async throws -> String {
        _ = await wait(seconds: 5) { $0.vehicles[device]?.report != nil }
        guard var vehicle = vehicles[device], vehicle.report != nil else {
            throw ExitError(.unavailable, "\(device) has no report at this broker\(suggestion(for: device))")
        }
        guard vehicle.report?.configuration == nil else { return try vehicle.configurationText(name: device) }
        var note = "The merged configuration is unknown. \(device) reports it when it is online.\n"
        if vehicle.status?.state == .online,
            let answer = try? await sendCommand(
                .getConfiguration, parameters: [:], device: device, timeoutSeconds: 10),
            let configuration = answer.members["configuration"]
        {
            vehicle.report?.configuration = configuration
            note = ""
        }
        return try vehicle.configurationText(name: device) + note
    }
}
