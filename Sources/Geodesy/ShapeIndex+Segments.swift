/// Queries about single shapes and short segments, for the evaluation of each fix.
extension ShapeIndex {
    /// The number of squares of one size beyond which a segment is not short.
    private static let maximumCells: UInt64 = 64

    /// Replaces a list by the slots of all shapes that may intersect a segment, ascending; some are only near. Then
    /// ``findIntersection(_:with:from:to:)`` finds the shapes and the parts that the segment intersects.
    ///
    /// The time does not depend on the number of shapes if the segment is short compared with most of them. Allocates
    /// only if the list is too small.
    public func findCandidates(from start: Coordinate, to end: Coordinate, into slots: inout [Slot]) {
        let way = GridSegment(from: start, to: end)
        slots.removeAll(keepingCapacity: true)
        let entries = table.entries.span
        for half in 0..<17 where sizes >> UInt32(half) & 1 == 1 {
            let shift = UInt64(half * 2)
            let columnSteps = way.lastColumn >> shift - way.firstColumn >> shift
            let rowSteps = way.lastRow >> shift - way.firstRow >> shift
            guard (columnSteps + 1) * (rowSteps + 1) <= Self.maximumCells else {
                return findCandidates(in: GridBox(from: start, to: end), into: &slots)
            }
            for rowStep in 0...rowSteps {
                for columnStep in 0...columnSteps {
                    let square = way.cell(shift: shift, column: columnStep, row: rowStep)
                    for index in table.range(square.key) {
                        let entry = entries[index]
                        if entry.maxX >= square.minX, entry.minX <= square.maxX, entry.maxY >= square.minY,
                            entry.minY <= square.maxY
                        {
                            slots.append(Int(entry.slot))
                        }
                    }
                }
            }
        }
        Self.makeUnique(&slots)
    }

    /// Replaces a list by the slots of all shapes whose boxes intersect a box, ascending: compares each shape.
    private func findCandidates(in box: GridBox, into slots: inout [Slot]) {
        slots.removeAll(keepingCapacity: true)
        for slot in offsets.indices where isOccupied(slot) && GridBox(header(slot)).intersects(box) {
            slots.append(slot)
        }
    }

    private static func makeUnique(_ slots: inout [Slot]) {
        guard slots.count > 1 else { return }
        slots.sort()
        var kept = 1
        for index in 1..<slots.count where slots[index] != slots[kept - 1] {
            slots[kept] = slots[index]
            kept += 1
        }
        slots.removeLast(slots.count - kept)
    }

    /// Returns the distance from a point outside a shape to its edge, metres; infinite for an empty slot.
    ///
    /// Measures far fewer edges than ``signedDistanceMeters(_:to:)``.
    /// - Parameter limit: Metres, ≥ 0. If the distance is greater, the result is any value greater than the limit.
    public func distanceMeters(_ slot: Slot, fromOutside point: Coordinate, limit: Double) -> Double {
        guard isOccupied(slot) else { return .infinity }
        let header = self.header(slot)
        switch header.kind {
        case .circle: return signedDistanceMeters(slot, to: point)
        case .corridor:
            let reach = limit + header.meters
            return BoundaryDistance.meters(bytes.span.bytes, at: offset(slot), point, limit: reach) - header.meters
        case .polygon: return BoundaryDistance.meters(bytes.span.bytes, at: offset(slot), point, limit: limit)
        }
    }

    /// Whether a point is inside a shape and at least a distance from its edge, metres, ≥ 0.
    public func isInside(_ slot: Slot, byMeters meters: Double, _ point: Coordinate) -> Bool {
        guard contains(slot, point) else { return false }
        let header = self.header(slot)
        guard header.kind == .polygon else { return signedDistanceMeters(slot, to: point) <= -meters }
        return BoundaryDistance.meters(bytes.span.bytes, at: offset(slot), point, limit: meters) >= meters
    }

    /// Returns the radius of a circle of about the size of a shape's box, or a circle's radius, metres; 0 if empty.
    public func equivalentRadiusMeters(_ slot: Slot) -> Double {
        guard isOccupied(slot) else { return 0 }
        let header = self.header(slot)
        guard header.kind != .circle else { return header.meters }
        let height = header.height * header.quantum
        let scale = WGS84.Scale(latitudeDegrees: header.latitude + height / 2)
        let east = header.width * header.quantum * scale.eastMetersPerDegree / 2 + header.meters
        let north = height * scale.northMetersPerDegree / 2 + header.meters
        return (east * north).squareRoot()
    }

    /// Returns the radius of a circle or the half width of a corridor, metres; 0 for a polygon and for an empty slot.
    public func reachMeters(_ slot: Slot) -> Double {
        isOccupied(slot) ? header(slot).meters : 0
    }

    /// Returns the fraction at which a segment with one end inside a shape crosses its edge; of several crossings, the
    /// one nearest to the outer end.
    /// - Parameter passage: Working memory.
    /// - Returns: nil if both ends are inside or both are outside.
    public func edgeFraction(
        _ slot: Slot, from start: Coordinate, to end: Coordinate, using passage: inout SegmentIntersection
    ) -> Double? {
        let (startIsInside, endIsInside) = (contains(slot, start), contains(slot, end))
        guard startIsInside != endIsInside else { return nil }
        let header = self.header(slot)
        if header.kind == .circle {
            let center = Coordinate(uncheckedLatitudeDegrees: header.latitude, longitudeDegrees: header.longitude)
            let way = CoordinateSegment(from: start, to: end)
            return Self.root { center.distanceMeters(to: way.coordinate(atFraction: $0)) - header.meters }
        }
        if header.kind == .polygon {
            return passage.edgeFraction(
                bytes.span.bytes, polygonAt: offset(slot), from: start, to: end, startIsInside: startIsInside)
        }
        findIntersection(&passage, with: slot, from: start, to: end)
        return startIsInside ? passage.insideFractions.last?.upperBound : passage.insideFractions.first?.lowerBound
    }

    /// Finds the parts inside a shape of a segment whose ends are both outside. This is
    /// ``findIntersection(_:with:from:to:)`` with fast rejection of segments that are not near.
    public func findCrossing(
        _ passage: inout SegmentIntersection, through slot: Slot, from start: Coordinate, to end: Coordinate
    ) {
        passage.clear()
        guard isOccupied(slot) else { return }
        let header = self.header(slot)
        switch header.kind {
        case .polygon:
            passage.findCrossing(bytes.span.bytes, polygonAt: offset(slot), from: start, to: end)
        case .circle
        where header.meters <= Self.maximumPlanarRadiusMeters
            && abs(header.latitude) < Coordinate.highLatitudeDegrees:
            if let part = Self.insideFractions(ofSegmentFrom: start, to: end, inCircle: header) { passage.set(part) }
        default: findIntersection(&passage, with: slot, from: start, to: end)
        }
    }

    /// The largest radius for which the nearest point of a segment to the centre is found in the plane, metres. There
    /// the error of the plane is 1 ‰, and the error of the shortest distance is less than a millimetre.
    private static let maximumPlanarRadiusMeters = 2_000.0

    /// Returns the part of a segment inside a circle that contains neither of its ends.
    private static func insideFractions(
        ofSegmentFrom start: Coordinate, to end: Coordinate, inCircle header: ShapeHeader
    ) -> ClosedRange<Double>? {
        let center = Coordinate(uncheckedLatitudeDegrees: header.latitude, longitudeDegrees: header.longitude)
        let plane = LocalPlane(origin: center)
        let origin = LocalPoint(eastMeters: 0, northMeters: 0)
        let (from, to) = (plane.eastNorthMeters(of: start), plane.eastNorthMeters(of: end))
        let nearest = origin.nearest(onSegmentFrom: from, to: to)
        guard origin.distanceMeters(to: nearest.point) <= header.meters * 1.01 + 1 else { return nil }
        let way = CoordinateSegment(from: start, to: end)
        let (share, rest) = (nearest.share, 1 - nearest.share)
        func beyond(_ share: Double) -> Double {
            center.distanceMeters(to: way.coordinate(atFraction: share)) - header.meters
        }
        guard beyond(share) <= 0, beyond(0) > 0, beyond(1) > 0 else { return nil }
        return root { beyond(share * $0) } * share...share + root { beyond(share + rest * $0) } * rest
    }

    /// Returns the place between 0 and 1 at which a function changes sign, to a millionth or to a centimetre of the
    /// function's value (Dowell and Jarratt 1971, the Illinois algorithm).
    private static func root(_ function: (Double) -> Double) -> Double {
        var (low, high) = (0.0, 1.0)
        var (atLow, atHigh) = (function(0), function(1))
        for _ in 0..<30 {
            guard atLow != atHigh else { break }
            let share = (low * atHigh - high * atLow) / (atHigh - atLow)
            let value = function(share)
            // No receiver is accurate to a centimetre.
            if abs(value) < 0.01 || high - low < 1e-6 { return share }
            if (value < 0) == (atHigh < 0) {
                (high, atHigh) = (share, value)
                atLow /= 2
            } else {
                (low, atLow) = (share, value)
                atHigh /= 2
            }
        }
        return (low + high) / 2
    }
}

extension GridBox {
    /// Creates the box around a segment.
    fileprivate init(from start: Coordinate, to end: Coordinate) {
        let way = CoordinateSegment(from: start, to: end)
        let west = start.longitudeDegrees + min(0, way.longitudeDegrees)
        self.init(
            west: west, east: west + abs(way.longitudeDegrees), south: min(start.latitudeDegrees, end.latitudeDegrees),
            north: max(start.latitudeDegrees, end.latitudeDegrees))
    }
}

/// The box of a segment on the index's grid. Columns may exceed the last one.
private struct GridSegment {
    let firstColumn: UInt64
    let lastColumn: UInt64
    let firstRow: UInt64
    let lastRow: UInt64

    init(from start: Coordinate, to end: Coordinate) {
        let from = GridBox.column(ofLongitude: start.longitudeDegrees)
        let to = GridBox.column(ofLongitude: end.longitudeDegrees)
        let isEastward = to &- from < 1 << 31
        firstColumn = UInt64(isEastward ? from : to)
        lastColumn = firstColumn + UInt64(isEastward ? to &- from : from &- to)
        let rows = (
            UInt64(GridBox.row(ofLatitude: start.latitudeDegrees)), UInt64(GridBox.row(ofLatitude: end.latitudeDegrees))
        )
        firstRow = min(rows.0, rows.1)
        lastRow = max(rows.0, rows.1)
    }

    /// Returns a square that the box intersects, and the box's part of it in 256ths.
    @inline(__always)
    func cell(
        shift: UInt64, column columnStep: UInt64, row rowStep: UInt64
    ) -> (key: UInt64, minX: UInt8, maxX: UInt8, minY: UInt8, maxY: UInt8) {
        let column = firstColumn &>> shift + columnStep
        let row = firstRow &>> shift + rowStep
        func part(_ value: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value &>> (shift - 8)) }
        let mask = UInt64(0xFFFF_FFFF) &>> shift
        return (
            CellRange.key(
                shift: UInt32(truncatingIfNeeded: shift), column: UInt32(truncatingIfNeeded: column & mask),
                row: UInt32(truncatingIfNeeded: row)),
            columnStep == 0 ? part(firstColumn) : 0, column == lastColumn &>> shift ? part(lastColumn) : 255,
            rowStep == 0 ? part(firstRow) : 0, row == lastRow &>> shift ? part(lastRow) : 255
        )
    }
}
