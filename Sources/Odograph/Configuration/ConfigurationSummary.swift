import Link
import Logging
import Positioning
import Store
import Tracking

extension AgentConfiguration {
    /// What an agent with this configuration would do, a line a subject.
    public var summary: String {
        var lines = Subjects(indentation: "  ")
        lines.add("device", address.path + (groups.isEmpty ? "" : ", in \(groups.joined(separator: ", "))"))
        lines.add("broker", broker.summary)
        lines.add("source", source.summary)
        lines.add(
            "store",
            "\(store.path), at most \(Text.bytes(store.options.maximumBytes)), "
                + (tracking.commitIntervalSeconds == 0
                    ? "each record at once" : "every \(Text.duration(seconds: tracking.commitIntervalSeconds))"))
        lines.add("control", controlPath)
        lines.add("tracking", tracking.summary)
        lines.add("log", logLevel.rawValue)
        return lines.text
    }
}

extension BrokerConfiguration {
    fileprivate var summary: String {
        var parts = ["\(url)\(isInsecure ? " (plain text over the network)" : "")"]
        if let username { parts.append("as \(username)") }
        if let passwordFile { parts.append("password from \(passwordFile)") }
        if let certificateFile = tls.certificateFile { parts.append("certificate \(certificateFile)") }
        return parts.joined(separator: ", ")
    }
}

extension SourceConfiguration {
    fileprivate var summary: String {
        switch self {
        case .gpsd(let settings): "gpsd at \(settings.host):\(settings.port)"
        case .replay(let settings):
            "replay of \(settings.path), "
                + (settings.speedFactor.map { "\($0.short) times real time" } ?? "as fast as possible")
        case .simulator(let settings): "simulator, seed \(settings.seed)"
        }
    }
}

extension TrackingSettings {
    fileprivate var summary: String {
        guard core.isEnabled else { return "off" }
        let sampling = core.sampling
        return "every \(sampling.distanceMeters.short) m, \(sampling.headingDegrees.short)° or "
            + "\(Text.duration(seconds: sampling.maximumIntervalSeconds)), not more often than every "
            + "\(Text.duration(seconds: sampling.minimumIntervalSeconds)); heartbeat "
            + (core.heartbeatIntervalSeconds == 0
                ? "never" : "every \(Text.duration(seconds: core.heartbeatIntervalSeconds))")
    }
}
