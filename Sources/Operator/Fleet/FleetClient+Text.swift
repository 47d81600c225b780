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

/// The configuration in force in a vehicle.
public struct ConfigurationInForce: Sendable {
    /// The name of the vehicle.
    public let device: String
    /// The facts that are known about it.
    let vehicle: FleetClient.Vehicle

    /// Returns the documents, their errors and the merged configuration as one JSON object and a newline.
    /// `configuration` is null if it is not known.
    public func json() throws -> String { try vehicle.configurationJSON(name: device) }

    /// Returns the documents, their errors and the merged configuration as text.
    public func text() throws -> String {
        guard vehicle.report != nil, vehicle.report?.configuration == nil else {
            return try vehicle.configurationText(name: device)
        }
        return try vehicle.configurationText(name: device)
            + "The merged configuration is unknown. The vehicle reports it when it is online.\n"
    }

    /// Returns the texts of several vehicles. Vehicles with the same text have it once, below their names.
    public static func text(of all: [ConfigurationInForce]) throws -> String {
        var (texts, names): ([String], [String: [String]]) = ([], [:])
        for one in all {
            let text = one.vehicle.report == nil ? "no report\n" : try one.text()
            if names[text] == nil { texts.append(text) }
            names[text, default: []].append(one.device)
        }
        return texts.map { text in
            let devices = names[text] ?? []
            let lines = text.split(separator: "\n").map { "  \($0)\n" }.joined()
            return "\(devices.joined(separator: ", ").printable):\n" + lines
        }.joined(separator: "\n")
    }
}

extension FleetClient {
    /// Returns the configuration in force in a vehicle. If its report lacks the merged configuration, the vehicle is
    /// asked for it.
    /// - Throws: `ExitError` if the vehicle has never reported, or its report cannot be read.
    public func configuration(of device: String) async throws -> ConfigurationInForce {
        _ = await wait(seconds: 5) { desk in
            desk.vehicles[device].map { $0.report != nil || $0.reportFault != nil } ?? false
        }
        if let fault = vehicles[device]?.reportFault {
            throw ExitError(
                .dataError, "the report of \(device) at this broker violates the contract: \(fault.printable)")
        }
        guard vehicles[device]?.report != nil else {
            throw ExitError(
                .unavailable, "\(device) has no report at this broker that can be read\(suggestion(for: device))")
        }
        return try await withConfigurations([device])[0]
    }

    /// Returns the configuration in force in each known vehicle of a level, in the order of their names.
    /// - Throws: `ExitError` if no vehicle of the level is known.
    public func configurations(of level: DownlinkLevel) async throws -> [ConfigurationInForce] {
        try await requireRecipient(of: level, device: nil)
        // The retained messages of the other vehicles arrive soon. Their end is not announced.
        _ = await wait(seconds: 2) { _ in false }
        return try await withConfigurations(targets(of: level, device: nil).vehicles.map(\.name))
    }

    /// Returns what vehicles have reported, with the merged configuration of those that are online.
    private func withConfigurations(_ devices: [String]) async throws -> [ConfigurationInForce] {
        let lacking = devices.filter { device in
            guard let vehicle = vehicles[device], let report = vehicle.report else { return false }
            return report.configuration == nil && vehicle.status?.state == .online
        }
        var answers: [String: JSONValue] = [:]
        if !lacking.isEmpty {
            let outcomes =
                (try? await sendCommand(.getConfiguration, parameters: [:], devices: lacking, timeoutSeconds: 10)) ?? []
            for outcome in outcomes {
                if case .response(let response) = outcome.result {
                    answers[outcome.device] = response.members["configuration"]
                }
            }
        }
        return devices.map { device in
            var vehicle = vehicles[device] ?? Vehicle()
            if let answer = answers[device] { vehicle.report?.configuration = answer }
            return ConfigurationInForce(device: device, vehicle: vehicle)
        }
    }
}
