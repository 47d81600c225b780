import Odograph
import OdographLink
import Logging
import OdographPositioning
import OdographTerminal
import OdographTracking

extension AgentConfiguration {
    /// A description of the configuration, one line per subject.
    public var summary: String {
        var lines = KeyValueLines(indentation: "  ")
        lines.append("device", address.path + (groups.isEmpty ? "" : ", groups \(groups.joined(separator: ", "))"))
        lines.append("broker", broker.summary)
        lines.append("source", source.summary)
        if vehicle != VehicleConfiguration() { lines.append("vehicle", vehicle.summary) }
        lines.append(
            "store",
            "\(store.path), at most \(Format.bytes(store.maximumBytes)), "
                + (tracking.commitIntervalSeconds == 0
                    ? "commit at once" : "commit every \(Format.duration(seconds: tracking.commitIntervalSeconds))"))
        lines.append("control", controlPath)
        lines.append("tracking", tracking.summary)
        if let schedule = tracking.schedule.expression {
            let zone = tracking.schedule.zone.identifier
            lines.append("schedule", "\(schedule.englishDescription), time zone \(zone)")
        }
        lines.append("log", logLevel.rawValue)
        return lines.text
    }

    /// The probable mistakes in the configuration, one sentence each.
    package var warnings: [String] { tracking.schedule.expression?.warnings ?? [] }
}

extension BrokerConfiguration {
    fileprivate var summary: String {
        var parts = ["\(url)\(isInsecure ? " (not encrypted)" : "")"]
        if let username { parts.append("as \(username)") }
        if let passwordFile { parts.append("password from \(FileReader.name(of: passwordFile))") }
        if let certificateFile = tls.certificateFile {
            parts.append("certificate \(FileReader.name(of: certificateFile))")
        }
        return parts.joined(separator: ", ")
    }
}

extension SourceConfiguration {
    fileprivate var summary: String {
        switch self {
        case .gpsd(let settings): "gpsd at \(settings.host):\(settings.port)"
        case .replay(let settings):
            "replay of \(settings.path), "
                + (settings.speedFactor.map { "\($0.shortText) times real time" } ?? "as fast as possible")
        case .simulator(let settings): "simulator, seed \(settings.seed)"
        }
    }
}

extension VehicleConfiguration {
    fileprivate var summary: String {
        sources.map { source in
            switch source {
            case .can(let can):
                let requests = can.protocol == .obd && can.isRequesting ? ", with requests" : ", listens only"
                return "\(can.protocol.rawValue) on \(can.interface)\(requests)"
            case .elm327(let adapter): return "ELM327 at \(adapter.device)"
            }
        }
        .joined(separator: "; ")
    }
}

extension TrackingSettings {
    fileprivate var summary: String {
        guard core.isEnabled else { return "off" }
        let sampling = core.sampling
        return "every \(sampling.distanceMeters.shortText) m, \(sampling.headingDegrees.shortText)° or "
            + "\(Format.duration(seconds: sampling.maximumIntervalSeconds)), at most every "
            + "\(Format.duration(seconds: sampling.minimumIntervalSeconds)); heartbeat "
            + (core.heartbeatIntervalSeconds == 0
                ? "never" : "every \(Format.duration(seconds: core.heartbeatIntervalSeconds))")
            + (core.driving == nil ? "" : "; driving style")
            + (beacons.known.isEmpty
                ? "" : "; \(beacons.known.count) named beacon\(beacons.known.count == 1 ? "" : "s")")
    }
}
