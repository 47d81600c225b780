/// Encodes shapes in the form that ``ShapeHeader`` describes.
enum ShapeEncoder {
    static func encoded(_ shape: Shape) -> ContiguousArray<UInt8> {
        switch shape {
        case .circle(let circle): encoded(circle)
        case .polygon(let polygon): encoded(polygon)
        case .corridor(let corridor):
            encoded([(UnwrappedRing(line: corridor.path), true)], .corridor, meters: corridor.halfWidthMeters)
        }
    }

    private static func encoded(_ circle: Circle) -> ContiguousArray<UInt8> {
        var bytes = head(
            .circle, bits: 0, exponent: 0, longitude: circle.center.longitudeDegrees,
            latitude: circle.center.latitudeDegrees, meters: circle.radiusMeters)
        let latitude = circle.center.latitudeDegrees
        let scale = WGS84.Scale(latitudeDegrees: latitude)
        let above = WGS84.Scale(latitudeDegrees: latitude + 0.01)
        let below = WGS84.Scale(latitudeDegrees: latitude - 0.01)
        let slope = (above.eastMetersPerDegree - below.eastMetersPerDegree) / 0.02
        bytes.append(Float(scale.eastMetersPerDegree).bitPattern)
        bytes.append(Float(scale.northMetersPerDegree).bitPattern)
        bytes.append(Float(slope).bitPattern)
        bytes.append(UInt32(0))
        return finished(bytes)
    }

    private static func encoded(_ polygon: Polygon) -> ContiguousArray<UInt8> {
        var rings: [(UnwrappedRing, Bool)] = []
        for polygon in polygon.polygons {
            for (index, points) in polygon.enumerated() {
                var ring = UnwrappedRing(ring: points)
                if let first = rings.first?.0 { ring.move(near: (first.minX + first.maxX) / 2) }
                rings.append((ring, index == 0))
            }
        }
        return encoded(rings, .polygon, meters: 0)
    }

    private static func encoded(
        _ rings: [(ring: UnwrappedRing, isOuter: Bool)], _ kind: ShapeHeader.Kind, meters: Double
    ) -> ContiguousArray<UInt8> {
        let minX = rings.reduce(.infinity) { min($0, $1.ring.minX) }
        let maxX = rings.reduce(-.infinity) { max($0, $1.ring.maxX) }
        let minY = rings.reduce(.infinity) { min($0, $1.ring.minY) }
        let maxY = rings.reduce(-.infinity) { max($0, $1.ring.maxY) }
        let (bits, exponent) = precision(extent: max(maxX - minX, maxY - minY))
        let grid = Grid(minX: minX, minY: minY, scale: ShapeHeader.powerOfTwo(-exponent), bits: bits)
        var longitude = minX
        while longitude >= 180 { longitude -= 360 }
        while longitude < -180 { longitude += 360 }
        var bytes = head(
            kind, bits: bits, exponent: exponent, longitude: longitude, latitude: minY, meters: meters)
        let corner = grid.quanta((maxX, maxY))
        bytes.append(grid.coarse(corner.x, isUpper: true))
        bytes.append(grid.coarse(corner.y, isUpper: true))
        bytes.append(UInt32(rings.count))
        bytes.append(UInt32(0))
        for (ring, isOuter) in rings { append(ring, isOuter, grid, to: &bytes) }
        return finished(bytes)
    }

    private static func append(
        _ ring: UnwrappedRing, _ isOuter: Bool, _ grid: Grid, to bytes: inout ContiguousArray<UInt8>
    ) {
        let edgeCount = ring.points.count - 1
        let shift = RingHeader.chunkShift(edgeCount: edgeCount)
        let start = bytes.count
        let header = RingHeader(
            edgeCount: edgeCount, chunkShift: shift, isOuter: isOuter, offset: start, stride: grid.bits / 4)
        bytes.append(contentsOf: repeatElement(0, count: header.end - start))
        bytes.withUnsafeMutableBytes { memory in
            memory.put(UInt64(edgeCount) | UInt64(shift) << 32 | (isOuter ? 1 << 40 : 0), at: start)
            var boxes = CoarseBox()
            var place = header.vertices
            for (index, point) in ring.points.enumerated() {
                let vertex = grid.quanta(point)
                // A write of eight bytes. The next write overwrites the upper ones; five spare bytes are at the end.
                memory.put(vertex.x, at: place)
                memory.put(vertex.y, at: place + grid.bits / 8)
                place += grid.bits / 4
                guard header.hasBoxes else { continue }
                boxes.add(vertex)
                // The last vertex of a chunk is the first of the next.
                guard index > 0, index & ((1 << shift) - 1) == 0 || index == edgeCount else { continue }
                let box = header.boxes + ((index - 1) >> shift) * 16
                memory.put(boxes.word(grid, isUpper: false), at: box)
                memory.put(boxes.word(grid, isUpper: true), at: box + 8)
                boxes = CoarseBox()
                boxes.add(vertex)
            }
        }
    }

    /// The box of a chunk.
    private struct CoarseBox {
        private var minX = UInt64.max
        private var minY = UInt64.max
        private var maxX: UInt64 = 0
        private var maxY: UInt64 = 0

        mutating func add(_ vertex: (x: UInt64, y: UInt64)) {
            (minX, maxX) = (min(minX, vertex.x), max(maxX, vertex.x))
            (minY, maxY) = (min(minY, vertex.y), max(maxY, vertex.y))
        }

        func word(_ grid: Grid, isUpper: Bool) -> UInt64 {
            let (x, y) = isUpper ? (maxX, maxY) : (minX, minY)
            return UInt64(grid.coarse(x, isUpper: isUpper)) | UInt64(grid.coarse(y, isUpper: isUpper)) << 32
        }
    }

    private struct Grid {
        let minX: Double
        let minY: Double
        let scale: Double
        let bits: Int

        func quanta(_ point: (x: Double, y: Double)) -> (x: UInt64, y: UInt64) {
            let greatest = Double((UInt64(1) << UInt64(bits)) - 1)
            let x = ((point.x - minX) * scale).rounded()
            let y = ((point.y - minY) * scale).rounded()
            return (UInt64(min(greatest, max(0, x))), UInt64(min(greatest, max(0, y))))
        }

        /// Returns coarse quanta, rounded up or down.
        func coarse(_ value: UInt64, isUpper: Bool) -> UInt32 {
            guard bits == 48 else { return UInt32(truncatingIfNeeded: value) }
            let coarse = (value >> 16) + (isUpper ? 1 : 0)
            return UInt32(truncatingIfNeeded: min(coarse, UInt64(UInt32.max)))
        }
    }

    /// Returns the number of bits and the exponent of the quantum for an extent in degrees.
    private static func precision(extent: Double) -> (bits: Int, exponent: Int) {
        // The lower limit is the resolution of a Double at 180.
        let needed = max(extent, 1e-6) * (1 + 1e-6)
        let fine = needed.exponent + 1 - 24
        if ShapeHeader.powerOfTwo(fine) <= 2e-9 { return (24, fine) }
        return (48, needed.exponent + 1 - 48)
    }

    private static func head(
        _ kind: ShapeHeader.Kind, bits: Int, exponent: Int, longitude: Double, latitude: Double, meters: Double
    ) -> ContiguousArray<UInt8> {
        var bytes: ContiguousArray<UInt8> = [kind.rawValue, UInt8(bits)]
        bytes.append(UInt16(bitPattern: Int16(exponent)))
        bytes.append(UInt32(0))
        bytes.append(longitude.bitPattern)
        bytes.append(latitude.bitPattern)
        bytes.append(meters.bitPattern)
        return bytes
    }

    private static func finished(_ bytes: ContiguousArray<UInt8>) -> ContiguousArray<UInt8> {
        var bytes = bytes
        let eighths = UInt32(bytes.count / 8)
        for byte in 0..<4 { bytes[4 + byte] = UInt8(truncatingIfNeeded: eighths >> UInt32(8 * byte)) }
        return bytes
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores eight bytes, little-endian.
    fileprivate func put(_ word: UInt64, at place: Int) {
        storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
    }
}

extension ContiguousArray<UInt8> {
    /// Appends an integer, little-endian.
    mutating func append<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
        for byte in 0..<(Value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> Value(8 * byte))) }
    }
}
