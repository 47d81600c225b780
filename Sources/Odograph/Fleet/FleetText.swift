import CivilTime
import Wire

extension FleetDesk.Vehicle {
    /// What is in force, as a person reads it.
    public func configurationText(name: String) throws -> String {
        guard let report else { return "\(name) has reported nothing".printable + "\n" }
        var lines: [String] = []
        for level in report.levels {
            var text = "\(level.level): \(level.isApplied ? "applied" : "refused"), "
            text += level.version.map { "version \($0)" } ?? "no version"
            if let hash = level.hashInForce {
                text += "; in force is \(level.versionInForce.map { "version \($0)" } ?? FleetLevel.name(nil, hash))"
            }
            if level.isRetained == false { text += "; the broker no longer holds it, the vehicle goes on with it" }
            lines.append(text)
        }
        if report.levels.isEmpty { lines.append("nothing but the vehicle's own file") }
        for error in report.errors {
            let place = error.path.isEmpty ? "" : " \(error.path):"
            lines.append("\(error.topic):\(place) \(error.message)\(error.value.map { " (found \($0))" } ?? "")")
        }
        let text = lines.map { $0.printable + "\n" }.joined()
        guard let configuration = report.configuration else { return text }
        return text + (try JSONText.pretty(configuration)) + "\n"
    }
}

extension FleetDesk {
    /// What is in force in a vehicle, as a person reads it. Where its report leaves the merged configuration out, it is
    /// asked for it.
    /// - Throws: `Failure` where it has never reported.
    public func configurationText(device: String) async throws -> String {
        _ = await wait(seconds: 5) { $0.vehicles[device]?.report != nil }
        guard var vehicle = vehicles[device], vehicle.report != nil else {
            throw Failure(.unavailable, "\(device) has never reported at this broker\(hint(for: device))")
        }
        guard vehicle.report?.configuration == nil else { return try vehicle.configurationText(name: device) }
        var note = "The merged configuration is not known: \(device) tells it when it is online.\n"
        if vehicle.status?.state == .online,
            let answer = try? await command(
                CommandAction.getConfiguration.rawValue, parameters: [:], device: device, timeoutSeconds: 10),
            let configuration = answer.members["configuration"]
        {
            vehicle.report?.configuration = configuration
            note = ""
        }
        return try vehicle.configurationText(name: device) + note
    }

    /// `; did you mean van-7?`, where there is a vehicle that may be meant.
    func hint(for device: String) -> String {
        Spelling.nearest(to: device, among: vehicles.keys.sorted()).map { "; did you mean \($0.printable)?" } ?? ""
    }
}
