import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographModel
import OdographTracking

/// Geofences on real drives: circles around the places of the phone drives, and the places themselves.
struct Places {
    private let captures: [Capture]
    private let rings: [[Coordinate]]
    private let isVerbose: Bool

    private struct Collection: Decodable {
        let features: [Feature]
    }

    private struct Feature: Decodable {
        let geometry: Geometry
    }

    private struct Geometry: Decodable {
        let type: String
        let ring: [[Double]]?

        private enum CodingKeys: String, CodingKey {
            case type, coordinates
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            ring = type == "Polygon" ? try container.decode([[[Double]]].self, forKey: .coordinates).first : nil
        }
    }

    init(folder: String, isVerbose: Bool) throws {
        self.isVerbose = isVerbose
        captures = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasPrefix("unimodal") }.map { try Capture(path: folder + $0) }
        let data = try Data(contentsOf: URL(filePath: folder + "truth/car_bike_places.geojson"))
        var known: Set<[[Double]]> = []
        rings = try JSONDecoder().decode(Collection.self, from: data).features.compactMap(\.geometry.ring)
            .filter { known.insert($0).inserted }
            .map { ring in
                ring.dropLast().compactMap { Coordinate(latitudeDegrees: $0[1], longitudeDegrees: $0[0]) }
            }
    }

    func report() throws {
        print("\(rings.count) places")
        for radius in [50.0, 100, 200] {
            try report("circles of \(Int(radius)) m", shapes: circles(ofMeters: radius))
        }
        try report("the places themselves", shapes: rings.map { .polygon(try Polygon(rings: [$0])) })
    }

    private func circles(ofMeters radius: Double) throws -> [Shape] {
        try rings.map { .circle(try Circle(center: Self.center(of: $0), radiusMeters: radius)) }
    }

    /// Returns the number of enters and exits of circles around the places on each drive.
    func visits(ofMeters radius: Double) throws -> [Int] {
        let set = try Self.set(of: circles(ofMeters: radius))
        return captures.map { capture in
            Self.events(capture, set).count { $0.action == .enter || $0.action == .exit }
        }
    }

    private static func set(of shapes: [Shape]) -> GeofenceSet {
        GeofenceSet(shapes.enumerated().map { Geofence(identifier: "place\($0.offset)", shape: $0.element) })
    }

    private static func center(of ring: [Coordinate]) -> Coordinate {
        let plane = LocalPlane(origin: ring[0])
        let points = ring.map { plane.eastNorthMeters(of: $0) }
        let east = points.map(\.eastMeters).mean
        let north = points.map(\.northMeters).mean
        return plane.coordinate(of: LocalPoint(eastMeters: east, northMeters: north))
    }

    private func report(_ name: String, shapes: [Shape]) throws {
        let set = Self.set(of: shapes)
        var naive = 0
        var told = 0
        var others = 0
        var isAlternating = true
        var delays: [Double] = []
        for capture in captures {
            naive += naiveEvents(capture, set)
            let events = Self.events(capture, set)
            if isVerbose { for event in events { describe(event, capture) } }
            let visits = events.filter { $0.action == .enter || $0.action == .exit }
            told += visits.count
            others += events.count - visits.count
            delays += visits.filter { $0.reason == nil }.map { $0.confirmedAt.seconds(since: $0.occurredAt) }
            for (_, list) in Dictionary(grouping: visits, by: \.identifier) {
                for (earlier, later) in zip(list, list.dropFirst()) where earlier.action == later.action {
                    isAlternating = false
                }
            }
        }
        row(
            "\(name): enters and exits, \(captures.count) drives",
            "\(told)\(isAlternating ? "" : " NOT ALTERNATING"), \(others) passes", naive: "\(naive)", bar: "")
        row(
            "  confirmed after, median / p95 (s)", "\(text(delays.median, 1)) / \(text(delays.quantile(0.95), 1))",
            bar: "5 / 15")
    }

    private func naiveEvents(_ capture: Capture, _ set: GeofenceSet) -> Int {
        var inside: [Int] = []
        var last: [Int]?
        var count = 0
        for fix in capture.fixes {
            set.index.findContaining(fix.coordinate, into: &inside)
            count += Set(inside).symmetricDifference(last ?? []).count
            last = inside
        }
        return count
    }

    static func events(_ capture: Capture, _ set: GeofenceSet) -> [GeofenceEvent] {
        var tracker = Tracker()
        guard let first = capture.fixes.first else { return [] }
        var outputs = tracker.replaceGeofences(set, zone: .utc, at: first.received)
        for fix in capture.fixes { outputs += tracker.handle(.fix(fix)) }
        return outputs.compactMap { if case .record(.location(let location)) = $0 { location.geofence } else { nil } }
    }

    private func describe(_ event: GeofenceEvent, _ capture: Capture) {
        guard let first = capture.fixes.first else { return }
        print(
            "    \(event.identifier) \(event.action.rawValue) \(text(event.occurredAt.seconds(since: first.timestamp), 1))",
            "confirmed +\(text(event.confirmedAt.seconds(since: event.occurredAt), 1))",
            event.isInitial ? "initial" : "", event.reason?.rawValue ?? "")
    }
}
