import CivilTime
import Wire

extension LocalAgent.Status {
    /// The status for a person: a line a subject.
    public func text(now: Timestamp) -> String {
        switch self {
        case .running(let status, _): status.text(now: now)
        case .stopped(let status): status.text(now: now)
        }
    }

    /// The status for a program: the keys of `get_status` as far as they are known, and `is_running`.
    public func json() throws -> String {
        var value: JSONValue
        let isRunning: Bool
        switch self {
        case .running(_, let answer): (value, isRunning) = (answer, true)
        case .stopped(let status):
            (value, isRunning) = (try JSONText.value(of: status), false)
        }
        if case .object(var members) = value {
            members["is_running"] = .bool(isRunning)
            value = .object(members)
        }
        return try JSONText.pretty(value) + "\n"
    }
}

extension AgentStatus {
    /// One short line on the way of a replay: how far it is.
    public var progressText: String {
        "\(Text.count(sourceFixes, "fix", "fixes")), \(Text.grouped(store.depth)) undelivered"
            + (location.map { ", at \(Text.time($0.timestamp))" } ?? "") + (isConnected ? "" : ", no broker")
    }

    fileprivate func text(now: Timestamp) -> String {
        var lines = Subjects()
        lines.add("agent", "\(address), odograph \(version), \(isTracking ? "running" : "running, tracking is off")")
        lines.add("broker", "\(broker), \(isConnected ? "connected" : "not connected")")
        lines.add(
            "source",
            "\(source), \(Text.count(sourceFixes, "fix", "fixes"))" + Text.reasons(sourceSkipped, before: "; skipped "))
        lines.add(
            "believed",
            Text.count(acceptedFixes, "fix", "fixes") + Text.reasons(rejectedFixes, before: "; not believed "))
        lines.add("position", location.map { $0.placeText(now: now) } ?? "none yet")
        lines.add("motion", isMoving ? "moving" + (location?.motionText ?? "") : "standing")
        lines.add("odometer", Text.distance(odometer, error: odometerError))
        if let geofences { lines.add("geofences", geofences.text) }
        lines.add("store", store.text(now: now))
        guard !problems.isEmpty else { return lines.text }
        lines.add("problems", Text.count(problems.count, "problem", "problems"))
        let details = problems.map {
            "  \($0.code), since \(Text.relative($0.since, to: now)): \($0.text)".printable + "\n"
        }
        return lines.text + details.joined()
    }
}

extension StoredStatus {
    fileprivate func text(now: Timestamp) -> String {
        var lines = Subjects()
        lines.add("agent", "\(address), not running; this is what its database says")
        lines.add("position", location.map { $0.placeText(now: now) } ?? "none yet")
        lines.add(
            "odometer", odometer.map { Text.distance($0, error: odometerError ?? 0) } ?? "its state cannot be read")
        lines.add("store", store.text(now: now))
        return lines.text
    }
}

extension GeofenceStatus {
    fileprivate var text: String {
        guard count > 0 else { return "none in force" }
        return "\(Text.grouped(count)) in force, "
            + (inside == 0 ? "the vehicle is in none" : "the vehicle is in \(Text.grouped(inside))")
    }
}

extension StoreStatus {
    fileprivate func text(now: Timestamp) -> String {
        let waiting =
            depth == 0 ? "nothing waits" : depth == 1 ? "1 record waits" : "\(Text.grouped(depth)) records wait"
        var parts = [
            waiting
                + (oldest.flatMap { depth > 0 ? $0 : nil }.map { ", the oldest of \(Text.relative($0, to: now))" } ?? "")
        ]
        parts.append("newest is \(seq) of epoch \(epoch)")
        if givenUp > 0 { parts.append("\(Text.grouped(givenUp)) given up") }
        parts.append("\(Text.bytes(usedBytes)) in \(path)")
        return parts.joined(separator: "; ")
    }
}

extension LocationEvent {
    fileprivate func placeText(now: Timestamp) -> String {
        let place = "\(coords.latitude.text(decimals: 5)), \(coords.longitude.text(decimals: 5))"
        let accuracy = coords.accuracy < 0 ? "" : " ± \(coords.accuracy.text(decimals: 0)) m"
        return "\(place)\(accuracy), \(Text.relative(timestamp, to: now))" + (mock ? " (replayed or simulated)" : "")
    }

    fileprivate var motionText: String {
        var text = ""
        if coords.speed >= 0 { text += ", \((coords.speed * 3.6).text(decimals: 0)) km/h" }
        if coords.heading >= 0 { text += " towards \(coords.heading.text(decimals: 0))°" }
        if activity.type != "unknown" { text += ", \(activity.type) (\(activity.confidence) % sure)" }
        return text
    }
}
