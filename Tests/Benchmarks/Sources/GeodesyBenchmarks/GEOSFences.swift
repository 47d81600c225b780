import CGEOS
import Measuring
import OdographGeodesy

/// The same geofences in GEOS: an STR tree over prepared geometries, circles as polygons of 64 points. Never freed.
struct GEOSFences {
    private let context: GEOSContextHandle_t
    private let tree: OpaquePointer
    private let prepared: UnsafeMutablePointer<OpaquePointer?>

    init?(_ workload: Workload) {
        guard let context = odograph_geos_init(), let tree = GEOSSTRtree_create_r(context, 10) else { return nil }
        self.context = context
        self.tree = tree
        prepared = .allocate(capacity: workload.shapes.count)
        for (index, shape) in workload.shapes.enumerated() {
            var ring = workload.rings[index] ?? []
            if case .circle(let circle) = shape {
                ring = (0..<64).map {
                    circle.center.destination(
                        headingDegrees: Double($0) * 5.625, distanceMeters: circle.radiusMeters)
                }
            }
            ring.append(ring[0])
            guard let sequence = GEOSCoordSeq_create_r(context, UInt32(ring.count), 2) else { return nil }
            for (position, point) in ring.enumerated() {
                GEOSCoordSeq_setXY_r(context, sequence, UInt32(position), point.longitudeDegrees, point.latitudeDegrees)
            }
            let polygon = GEOSGeom_createPolygon_r(context, GEOSGeom_createLinearRing_r(context, sequence), nil, 0)
            prepared[index] = GEOSPrepare_r(context, polygon)
            GEOSSTRtree_insert_r(context, tree, polygon, UnsafeMutableRawPointer(bitPattern: index + 1))
        }
        // The first query builds the tree.
        _ = count(Coordinate(latitudeDegrees: 48, longitudeDegrees: 11))
    }

    func count(_ point: Coordinate?) -> Int {
        guard let point else { return 0 }
        return odograph_geos_count(context, tree, prepared, point.longitudeDegrees, point.latitudeDegrees)
    }
}
