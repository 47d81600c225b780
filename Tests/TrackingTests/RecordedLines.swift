import OdographCivilTime
import OdographGeodesy

@testable import OdographTracking
import OdographModel

/// The outputs of a tracker, one line each. Numbers are rounded to two decimals, so that another version of the
/// mathematical library gives the same lines.
struct RecordedLines {
    /// The number of locations for each location line of the file. The checksum covers the others.
    private static let locationsPerLine = 20

    /// All lines.
    let all: [String]
    /// The lines of the file: without most locations, with the number and the checksum of all lines.
    let short: [String]

    init(_ outputs: [TrackerOutput]) {
        all = outputs.map(Self.line)
        var locations = 0
        var short: [String] = []
        for (output, line) in zip(outputs, all) {
            if case .sample = output { continue }
            if case .record(.location(let location)) = output, location.cause == nil, location.geofence == nil {
                locations += 1
                if locations % Self.locationsPerLine != 1 { continue }
            }
            if case .record(.timeline(let event)) = output, event.isProvisional, event.revision > 1 { continue }
            short.append(line)
        }
        let text = Array(all.joined(separator: "\n").utf8)
        var checksum = ContentHash()
        checksum.combine(text.span.bytes, 0..<text.count)
        self.short = short + ["\(all.count) lines, checksum \(String(checksum.value, radix: 16))"]
    }

    private static func line(_ output: TrackerOutput) -> String {
        switch output {
        case .record(.location(let location)): "location " + line(location.value)
        case .record(.timeline(let event)): "timeline " + line(event.value)
        case .sample(let location): "sample " + line(location.value)
        case .position(let location, let request): "position \(request) " + (location.map { line($0.value) } ?? "none")
        case .fixRate(let wish): "receiver \(wish)"
        }
    }

    private static func line(_ location: TrackedLocation) -> String {
        let fix = location.fix
        var words = [
            "\(fix.timestamp)", place(fix.coordinate), "±" + number(fix.accuracyMeters),
            number(fix.speedMetersPerSecond) + " m/s", number(fix.headingDegrees) + "°",
            "odometer " + number(location.odometerMeters) + " ±" + number(location.odometerErrorMeters),
            "\(location.activity.kind) \(location.activity.confidencePercent) %",
            location.isMoving ? "moving" : "still",
        ]
        if let cause = location.cause { words.append("\(cause)") }
        if location.ageMilliseconds != 0 { words.append("age \(location.ageMilliseconds) ms") }
        if let tag = location.tag { words.append("tag \(tag)") }
        if location.isClockUntrusted { words.append("untrusted") }
        if let event = location.geofence {
            words.append("\(event.action) \(event.identifier) at \(event.occurredAt) confirmed \(event.confirmedAt)")
            words.append("dwell \(number(event.dwellSeconds)) peak \(number(event.peakSpeedMetersPerSecond))")
            words.append("for \(number(event.durationSeconds)) \(event.reason.map { "\($0)" } ?? "")")
        }
        return words.joined(separator: " ")
    }

    private static func line(_ event: TimelineEvent) -> String {
        let what =
            switch event.kind {
            case .stationary(let place):
                "STATIONARY " + (place.map { Self.place($0.coordinate) + " ±" + number($0.accuracyMeters) } ?? "")
            case .transport(let way):
                "\(way.mode) " + number(way.distanceMeters) + " m"
                    + way.waypoints.map { " " + place($0.coordinate) + " ±" + number($0.accuracyMeters) }.joined()
            case .offTheGrid(let reason): "OFF_THE_GRID \(reason)"
            case .unknown: "UNKNOWN"
            }
        let moved = event.stopMeters.map { ", " + number($0) + " m within it" } ?? ""
        let state = event.isWithdrawn ? "withdrawn" : event.isProvisional ? "provisional" : "final"
        return "\(event.id) \(event.revision) \(state) \(event.start) to \(event.end.map { "\($0)" } ?? "now")"
            + " updated \(event.lastUpdate) tag \(event.tag ?? "none") \(what)\(moved)"
    }

    private static func place(_ coordinate: Coordinate) -> String {
        "\((coordinate.latitudeDegrees * 1e5).rounded() / 1e5),\((coordinate.longitudeDegrees * 1e5).rounded() / 1e5)"
    }

    private static func number(_ value: Double?) -> String {
        value.map { "\(($0 * 100).rounded() / 100)" } ?? "none"
    }
}
