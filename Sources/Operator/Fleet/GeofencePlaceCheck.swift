import Odograph
import OdographGeoJSON
import OdographGeodesy
import OdographModel
import OdographTerminal
import OdographTracking
import OdographWire

/// Finds geofences that no vehicle of their level is near, such as those with latitude and longitude swapped.
struct GeofencePlaceCheck {
    /// The distance from the nearest vehicle beyond which a geofence is suspicious, metres.
    static let limitMeters = 200_000.0
    /// The positions of an outline that are compared, at most.
    private static let maximumPositions = 64
    /// The geofences that are compared, at most.
    private static let maximumGeofences = 10_000

    /// The vehicles with a known position.
    let vehicles: [(name: String, place: Coordinate)]

    /// Returns a sentence for each geofence that is far from every vehicle; none if no position is known.
    /// - Parameter document: The set, GeoJSON.
    func warnings(_ document: [UInt8]) -> [String] {
        guard !vehicles.isEmpty, !document.isEmpty else { return [] }
        var (warnings, count): ([String], Int) = ([], 0)
        var reader = GeofenceReader(document)
        while count < Self.maximumGeofences, let item = try? reader.next() {
            guard case .geofence(let fence) = item else { continue }
            count += 1
            if let warning = warning(fence) { warnings.append(warning) }
        }
        return warnings
    }

    private func warning(_ fence: Geofence) -> String? {
        let positions = Self.positions(of: fence.shape)
        let nearest = nearest(to: positions)
        let meters = nearest.meters - fence.shape.reachMeters
        guard meters > Self.limitMeters, !isInside(fence) else { return nil }
        let text =
            "\(fence.identifier) is \(Format.distance(meters.rounded())) from \(nearest.name), the nearest vehicle of the level"
        let swapped = positions.compactMap {
            Coordinate(latitudeDegrees: $0.longitudeDegrees, longitudeDegrees: $0.latitudeDegrees)
        }
        guard swapped.count == positions.count else { return text }
        let other = self.nearest(to: swapped)
        guard other.meters - fence.shape.reachMeters <= Self.limitMeters else { return text }
        return text + "; latitude and longitude seem to be swapped: GeoJSON is [longitude, latitude], and with the two "
            + "exchanged it is \(Format.distance(max(other.meters, 0).rounded())) from \(other.name)"
    }

    private func isInside(_ fence: Geofence) -> Bool {
        let index = GeofenceSet([fence]).index
        return vehicles.contains { vehicle in
            var isInside = false
            index.forEachContaining(vehicle.place) { _ in isInside = true }
            return isInside
        }
    }

    private func nearest(to positions: [Coordinate]) -> (name: String, meters: Double) {
        var found = (name: "", meters: Double.infinity)
        for (name, place) in vehicles {
            for position in positions {
                let meters = place.distanceMeters(to: position)
                if meters < found.meters { found = (name, meters) }
            }
        }
        return found
    }

    /// Returns positions of the outline or the line, or the centre.
    private static func positions(of shape: Shape) -> [Coordinate] {
        let all: [Coordinate]
        switch shape {
        case .circle(let circle): all = [circle.center]
        case .corridor(let corridor): all = corridor.path
        case .polygon(let polygon): all = polygon.polygons.flatMap { $0.prefix(1).flatMap { $0 } }
        }
        let step = max(1, all.count / maximumPositions)
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
}

extension Shape {
    /// The distance from its positions to which the shape extends, metres.
    fileprivate var reachMeters: Double {
        switch self {
        case .circle(let circle): circle.radiusMeters
        case .corridor(let corridor): corridor.halfWidthMeters
        case .polygon: 0
        }
    }
}

extension FleetClient {
    /// Returns a sentence for each geofence of a set that is far from every vehicle of its level. The positions are
    /// those that the broker retains; the client must watch them.
    package func placeWarnings(_ document: [UInt8], at place: DocumentPlace) async -> [String] {
        _ = await wait(seconds: 1) { desk in
            desk.targets(of: place.level, device: place.device).vehicles.allSatisfy { $0.vehicle?.position != nil }
        }
        let vehicles = targets(of: place.level, device: place.device).vehicles.compactMap { name, vehicle in
            (vehicle?.position?.coords).flatMap {
                Coordinate(latitudeDegrees: $0.latitude, longitudeDegrees: $0.longitude)
            }.map { (name: name, place: $0) }
        }
        return GeofencePlaceCheck(vehicles: vehicles).warnings(document)
    }
}
