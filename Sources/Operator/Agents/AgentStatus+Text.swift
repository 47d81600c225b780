import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

extension LocalAgent.Status {
    /// Returns the status as text, one line per subject.
    public func text(now: Timestamp) -> String {
        switch self {
        case .running(let status, _): status.text(now: now)
        case .stopped(let status): status.text(now: now)
        }
    }

    /// Returns the status as one JSON object and a newline: the known keys of `get_status`, and `is_running`.
    public func json() throws -> String {
        var value: JSONValue
        let isRunning: Bool
        switch self {
        case .running(_, let answer): (value, isRunning) = (answer, true)
        case .stopped(let status):
            (value, isRunning) = (try JSONCoder.value(of: status), false)
        }
        if case .object(var members) = value {
            members["is_running"] = .bool(isRunning)
            value = .object(members)
        }
        return try JSONCoder.string(of: value) + "\n"
    }
}

extension AgentStatus {
    /// The progress of a replay in one short line.
    public var progressText: String {
        "\(Format.count(sourceFixes, "fix", "fixes")), \(Format.grouped(store.depth)) undelivered"
            + (location.map { ", at \(Format.time($0.timestamp))" } ?? "") + (isConnected ? "" : ", no broker")
    }

    fileprivate func text(now: Timestamp) -> String {
        var lines = KeyValueLines()
        lines.append("agent", "\(address), odograph \(version), \(isTracking ? "running" : "running, tracking is off")")
        lines.append("broker", "\(broker), \(isConnected ? "connected" : "not connected")")
        lines.append(
            "source",
            "\(source), \(Format.count(sourceFixes, "fix", "fixes"))"
                + Format.reasonCounts(sourceSkipped, prefix: "; skipped "))
        lines.append(
            "accepted",
            Format.count(acceptedFixes, "fix", "fixes") + Format.reasonCounts(rejectedFixes, prefix: "; rejected "))
        let isLost = problems.contains { $0.code == .positionLost }
        let place = location.map { $0.positionText(now: now) + (isLost ? "; no position since then" : "") }
        lines.append("position", place ?? "none yet")
        lines.append("motion", motionText(isPositionLost: isLost))
        if let driver { lines.append("driver", driver) }
        if isPrivate == true {
            lines.append("private", tag.map { "\($0): no position is stored or sent" } ?? "by the schedule")
        } else if let tag {
            lines.append("tag", tag)
        }
        lines.append("odometer", Format.distance(odometer, error: odometerError))
        lines.append("geofences", geofences.text)
        lines.append("store", store.text(now: now))
        if let budget { lines.append("budget", budget.text) }
        if let certificates { lines.append("certificates", certificates.text(now: now)) }
        guard !problems.isEmpty else { return lines.text }
        lines.append("problems", Format.count(problems.count, "problem", "problems"))
        let details = problems.map {
            "  \($0.code), since \(Format.relative($0.since, to: now)): \($0.text)".printable + "\n"
        }
        return lines.text + details.joined()
    }
}

extension AgentStatus {
    /// The present motion. That of the last position is not the present where there is no position.
    private func motionText(isPositionLost: Bool) -> String {
        switch isMoving {
        case nil: isPositionLost ? "not known without a position" : "not shown off schedule"
        case true? where isPositionLost: "the wheels turn"
        case true?: "moving" + (location?.motionText ?? "")
        case false?: isPositionLost ? "the wheels stand" : "stationary"
        }
    }
}

extension StoppedAgentStatus {
    fileprivate func text(now: Timestamp) -> String {
        var lines = KeyValueLines()
        lines.append("agent", "\(address), not running; these values are from its database")
        lines.append("position", location.map { $0.positionText(now: now) } ?? "none yet")
        lines.append(
            "odometer",
            odometer.map { Format.distance($0, error: odometerError ?? 0) } ?? "unknown, cannot read the saved state")
        lines.append("store", store.text(now: now))
        if let budget { lines.append("budget", budget.text) }
        return lines.text
    }
}

extension GeofenceStatus {
    fileprivate var text: String {
        guard count > 0 else { return "none in force" }
        return "\(Format.grouped(count)) in force, "
            + (inside == 0 ? "the vehicle is in none" : "the vehicle is in \(Format.grouped(inside))")
    }
}

extension StoreStatus {
    fileprivate func text(now: Timestamp) -> String {
        let waiting = "\(depth == 0 ? "no" : Format.grouped(depth)) pending \(depth == 1 ? "record" : "records")"
        var parts = [
            waiting
                + (oldest.flatMap { depth > 0 ? $0 : nil }.map { ", the oldest from \(Format.relative($0, to: now))" }
                    ?? "")
        ]
        parts.append("newest record \(seq) of epoch \(epoch)")
        if givenUp > 0 { parts.append("\(Format.grouped(givenUp)) given up") }
        parts.append("\(Format.bytes(usedBytes)) in \(path)")
        return parts.joined(separator: "; ")
    }
}

extension LocationEvent {
    fileprivate func positionText(now: Timestamp) -> String {
        let place = "\(coords.latitude.formatted(decimals: 5)), \(coords.longitude.formatted(decimals: 5))"
        let accuracy = coords.accuracy < 0 ? "" : " ± \(coords.accuracy.formatted(decimals: 0)) m"
        return "\(place)\(accuracy), \(Format.relative(timestamp, to: now))" + (mock ? " (replayed or simulated)" : "")
    }

    fileprivate var motionText: String {
        var text = ""
        if coords.speed >= 0 { text += ", \((coords.speed * 3.6).formatted(decimals: 0)) km/h" }
        if coords.heading >= 0 { text += ", heading \(coords.heading.formatted(decimals: 0))°" }
        if activity.type != .unknown { text += ", \(activity.type) (confidence \(activity.confidence) %)" }
        return text
    }
}
