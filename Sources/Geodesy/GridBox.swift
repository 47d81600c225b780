/// A box on the index's grid. The grid has 2³² columns around the globe; its rows are as high as its columns are wide.
struct GridBox {
    /// The western column.
    var column: UInt32
    /// The southern row.
    var row: UInt32
    /// The number of columns from the western to the eastern one; 2³² − 1 for the whole globe.
    var width: UInt32
    /// The number of rows from the southern to the northern one.
    var height: UInt32

    static let unitsPerDegree = 4_294_967_296.0 / 360

    @inline(__always)
    static func column(ofLongitude degrees: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64((degrees + 180) * unitsPerDegree))
    }

    @inline(__always)
    static func row(ofLatitude degrees: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64((degrees + 90) * unitsPerDegree))
    }

    /// Creates the box around degrees, widened by at least two units (2 cm at the equator) for rounding and for the
    /// tolerance of edges. The western longitude may be any; the eastern one is not less.
    init(west: Double, east: Double, south: Double, north: Double) {
        let margin = 2.0
        row = UInt32(max(0, (south + 90) * Self.unitsPerDegree - margin))
        let top = UInt32(min(4_294_967_295, (north + 90) * Self.unitsPerDegree + margin))
        height = top > row ? top - row : 0
        let columns = (east - west) * Self.unitsPerDegree + 2 * margin + 1
        // At a pole all longitudes meet, so a box that contains a pole has the full width.
        if !(columns < 4_294_967_295) || south <= -89.999999 || north >= 89.999999 {
            column = 0
            width = .max
        } else {
            column = UInt32(truncatingIfNeeded: Int64(((west + 180) * Self.unitsPerDegree - margin).rounded(.down)))
            width = UInt32(columns)
        }
    }

    /// Creates the box around all points within a distance of a box in degrees.
    init(west: Double, east: Double, south: Double, north: Double, reachMeters: Double) {
        // The least radius of curvature in the meridian is 6,335 km, so a degree of latitude is at least 110.57 km.
        let up = reachMeters / 110_570
        let farthest = max(abs(south - up), abs(north + up))
        // The shortest degree of longitude is at the latitude nearest to a pole.
        let side = farthest < 89.9 ? reachMeters / WGS84.Scale(latitudeDegrees: farthest).eastMetersPerDegree : 360
        self.init(
            west: west - side * 1.001, east: east + side * 1.001, south: max(-90, south - up),
            north: min(90, north + up))
    }

    init(_ header: ShapeHeader) {
        let width = header.width * header.quantum
        let height = header.height * header.quantum
        if header.kind == .polygon {
            self.init(
                west: header.longitude, east: header.longitude + width, south: header.latitude,
                north: header.latitude + height)
        } else {
            self.init(
                west: header.longitude, east: header.longitude + width, south: header.latitude,
                north: header.latitude + height, reachMeters: header.meters)
        }
    }

    /// Whether two boxes have a point in common.
    func intersects(_ other: GridBox) -> Bool {
        (other.column &- column <= width || column &- other.column <= other.width)
            && row <= other.row &+ min(other.height, .max - other.row)
            && other.row <= row &+ min(height, .max - row)
    }
}

/// The squares of one size that a box overlaps.
struct CellRange {
    /// The base-2 logarithm of the squares' width in columns.
    let shift: UInt32
    let firstColumn: UInt32
    let firstRow: UInt32
    /// The number of columns minus one; columns wrap around the globe.
    let columnSteps: UInt32
    let rowSteps: UInt32
    let columnMask: UInt32

    init(_ box: GridBox, shift: UInt32) {
        self.shift = shift
        columnMask = UInt32(truncatingIfNeeded: UInt64(0xFFFF_FFFF) >> UInt64(shift))
        firstColumn = UInt32(truncatingIfNeeded: UInt64(box.column) >> UInt64(shift))
        firstRow = UInt32(truncatingIfNeeded: UInt64(box.row) >> UInt64(shift))
        let columns = (UInt64(box.column) + UInt64(box.width)) >> UInt64(shift)
        columnSteps = UInt32(truncatingIfNeeded: min(columns - UInt64(firstColumn), UInt64(columnMask)))
        rowSteps = UInt32(
            truncatingIfNeeded: (UInt64(box.row) + UInt64(box.height)) >> UInt64(shift) - UInt64(firstRow))
    }

    /// Calls `body` with the key, column and row of each square.
    @inline(__always)
    func forEach(_ body: (_ key: UInt64, _ column: UInt32, _ row: UInt32) -> Void) {
        for rowStep in 0...rowSteps {
            for columnStep in 0...columnSteps {
                let column = (firstColumn &+ columnStep) & columnMask
                let row = firstRow &+ rowStep
                body(Self.key(shift: shift, column: column, row: row), column, row)
            }
        }
    }

    /// Returns a key that is unique among squares of all sizes, and is never 0.
    @inline(__always)
    static func key(shift: UInt32, column: UInt32, row: UInt32) -> UInt64 {
        // The smallest squares are 2¹⁰ wide, so columns and rows have at most 22 bits.
        UInt64(shift &+ 1) << 48 | UInt64(column) << 24 | UInt64(row)
    }
}
