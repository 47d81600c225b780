import OdographCrontab
import OdographGeodesy
import OdographJSON
public import OdographModel

/// Writes geofences as GeoJSON.
public enum GeofenceWriter {
    /// Returns a geofence as a Feature on one line. Default values are omitted.
    public static func feature(_ fence: Geofence) -> [UInt8] {
        var text = "{\"type\":\"Feature\",\"id\":" + quoted(fence.identifier) + ",\"geometry\":"
        text += geometry(fence.shape) + ",\"properties\":{"
        text += properties(fence).map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return Array((text + "}}").utf8)
    }

    private static func quoted(_ text: String) -> String {
        JSONStringWriter.string(text)
    }

    private static func properties(_ fence: Geofence) -> [(String, String)] {
        let (rule, usual) = (fence.rule, GeofenceRule())
        var members: [(String, String?)] = []
        switch fence.shape {
        case .circle(let circle): members.append(("radius", "\(circle.radiusMeters)"))
        case .corridor(let corridor): members.append(("corridor", "\(corridor.halfWidthMeters)"))
        case .polygon: break
        }
        func flag(_ isOn: Bool, _ usually: Bool) -> String? { isOn == usually ? nil : "\(isOn)" }
        members += [
            ("name", rule.name.map(quoted)),
            ("notify_on_entry", flag(rule.notifiesOnEntry, usual.notifiesOnEntry)),
            ("notify_on_exit", flag(rule.notifiesOnExit, usual.notifiesOnExit)),
            ("notify_on_dwell", flag(rule.notifiesOnDwell, usual.notifiesOnDwell)),
            (
                "loitering_delay",
                rule.loiteringDelaySeconds == usual.loiteringDelaySeconds ? nil : "\(rule.loiteringDelaySeconds)"
            ),
            ("initial", rule.initialTrigger == usual.initialTrigger ? nil : quoted(rule.initialTrigger.rawValue)),
            ("significance", rule.significance.map(quoted)),
            ("schedule", rule.schedule.map { text(of: $0) }),
            ("speed_limit", rule.speedLimitMetersPerSecond.map { "\($0)" }),
            ("extras", rule.extras),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns one expression as a string, several as a list.
    private static func text(of schedule: Schedule) -> String {
        guard schedule.expressions.count > 1 else { return quoted(schedule.expressions[0]) }
        return "[" + schedule.expressions.map(quoted).joined(separator: ",") + "]"
    }

    private static func geometry(_ shape: Shape) -> String {
        switch shape {
        case .circle(let circle): "{\"type\":\"Point\",\"coordinates\":\(position(circle.center))}"
        case .corridor(let corridor): "{\"type\":\"LineString\",\"coordinates\":\(list(corridor.path, position))}"
        case .polygon(let polygon) where polygon.polygons.count == 1:
            "{\"type\":\"Polygon\",\"coordinates\":\(list(polygon.polygons[0], ring))}"
        case .polygon(let polygon):
            "{\"type\":\"MultiPolygon\",\"coordinates\":\(list(polygon.polygons) { list($0, ring) })}"
        }
    }

    private static func ring(_ points: [Coordinate]) -> String {
        let isClosed = points.first == points.last
        return list(isClosed ? points : points + points.prefix(1), position)
    }

    private static func list<Element>(_ elements: [Element], _ spell: (Element) -> String) -> String {
        "[" + elements.map(spell).joined(separator: ",") + "]"
    }

    private static func position(_ coordinate: Coordinate) -> String {
        "[\(coordinate.longitudeDegrees),\(coordinate.latitudeDegrees)]"
    }
}
