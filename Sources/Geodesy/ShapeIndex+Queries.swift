extension ShapeIndex {
    /// Calls `body` once with the slot of every shape that contains a point, in no particular order.
    @inlinable
    public func forEachContaining(_ point: Coordinate, _ body: (Slot) -> Void) {
        var cursor = ContainmentCursor(point)
        while let slot = next(&cursor) { body(slot) }
    }

    /// Replaces a list by the slots of all shapes that contain a point, ascending. Allocates only to extend the list.
    public func findContaining(_ point: Coordinate, into slots: inout [Slot]) {
        slots.removeAll(keepingCapacity: true)
        forEachContaining(point) { slots.append($0) }
        if slots.count > 1 { slots.sort() }
    }

    /// Replaces a list by the slots of all shapes whose boxes intersect the box of a segment, ascending. Then
    /// ``findIntersection(_:with:from:to:)`` finds the shapes and the parts that the segment intersects.
    public func findCandidates(from start: Coordinate, to end: Coordinate, into slots: inout [Slot]) {
        slots.removeAll(keepingCapacity: true)
        let way = CoordinateSegment(from: start, to: end)
        let west = start.longitudeDegrees + min(0, way.longitudeDegrees)
        forEachCandidate(
            GridBox(
                west: west, east: west + abs(way.longitudeDegrees),
                south: min(start.latitudeDegrees, end.latitudeDegrees),
                north: max(start.latitudeDegrees, end.latitudeDegrees))
        ) { slots.append($0) }
        if slots.count > 1 { slots.sort() }
    }

    /// Whether a shape contains a point; false for an empty slot.
    public func contains(_ slot: Slot, _ point: Coordinate) -> Bool {
        isOccupied(slot) && Containment.contains(bytes.span.bytes, at: offset(slot), point)
    }

    /// Returns the distance to a shape's edge, metres: negative inside; infinite for an empty slot.
    public func signedDistanceMeters(_ slot: Slot, to point: Coordinate) -> Double {
        isOccupied(slot) ? SignedDistance.meters(bytes.span.bytes, at: offset(slot), point) : .infinity
    }

    /// Finds the parts of a segment that are inside a shape; none for an empty slot.
    public func findIntersection(
        _ passage: inout SegmentIntersection, with slot: Slot, from start: Coordinate, to end: Coordinate
    ) {
        guard isOccupied(slot) else { return passage = SegmentIntersection() }
        passage.find(bytes.span.bytes, at: offset(slot), from: start, to: end)
    }

    // MARK: Inside

    /// Returns the next shape that contains the cursor's point.
    @usableFromInline
    func next(_ cursor: inout ContainmentCursor) -> Slot? {
        let entries = table.entries.span
        let memory = bytes.span.bytes
        while true {
            while cursor.entry < cursor.entryEnd {
                let entry = entries[cursor.entry]
                cursor.entry += 1
                if cursor.x >= entry.minX, cursor.x <= entry.maxX, cursor.y >= entry.minY, cursor.y <= entry.maxY,
                    Containment.contains(memory, at: Int(offsets[Int(entry.slot)]) * 8, cursor.point)
                {
                    return Int(entry.slot)
                }
            }
            cursor.size += 1
            let left = sizes >> UInt32(truncatingIfNeeded: cursor.size)
            guard left != 0 else { return nil }
            cursor.size += left.trailingZeroBitCount
            let range = table.range(cursor.enterCell())
            cursor.entry = range.lowerBound
            cursor.entryEnd = range.upperBound
        }
    }

    /// Calls `body` once with the slot of every shape whose box intersects a box.
    private func forEachCandidate(_ box: GridBox, _ body: (Slot) -> Void) {
        for half in 0..<17 where sizes >> UInt32(half) & 1 == 1 {
            let range = CellRange(box, shift: UInt32(half * 2))
            // If there are many more squares than shapes, a scan of the shapes is faster.
            if range.count > UInt64(populations[half] + 16) * 4 {
                for slot in offsets.indices where isOccupied(slot) {
                    let header = self.header(slot)
                    if cells(of: header).shift == range.shift, GridBox(header).intersects(box) { body(slot) }
                }
                continue
            }
            range.forEach { key, column, row in
                for index in table.range(key) {
                    let slot = Int(table.entries[index].slot)
                    let shapeBox = GridBox(header(slot))
                    guard shapeBox.intersects(box) else { continue }
                    // A shape is found in every square that it shares with the box. Only the first of them counts.
                    let own = CellRange(shapeBox, shift: range.shift)
                    let isFirstColumn =
                        column == range.firstColumn || column == own.firstColumn
                    let isFirstRow = row == max(range.firstRow, own.firstRow)
                    if isFirstRow, isFirstColumn, isFirst(column, own, range) { body(slot) }
                }
            }
        }
    }

    /// Whether a column that begins one of two ranges is the first that both contain, counted from the query's first.
    private func isFirst(_ column: UInt32, _ own: CellRange, _ range: CellRange) -> Bool {
        if column == range.firstColumn { return true }
        // It begins the shape's range. The shape must not also contain the query's first column by wrapping around.
        return (range.firstColumn &- own.firstColumn) & range.columnMask > own.columnSteps
    }
}

/// The progress of a query for the shapes around a point.
@usableFromInline
struct ContainmentCursor {
    let point: Coordinate
    private let column: UInt32
    private let row: UInt32
    /// Half the shift of the current squares.
    var size = -1
    /// The point's position in its square, in 256ths.
    private(set) var x: UInt8 = 0
    private(set) var y: UInt8 = 0
    var entry = 0
    var entryEnd = 0

    @usableFromInline
    init(_ point: Coordinate) {
        self.point = point
        column = GridBox.column(ofLongitude: point.longitudeDegrees)
        row = GridBox.row(ofLatitude: point.latitudeDegrees)
    }

    /// Enters the point's square of the current size.
    /// - Returns: The square's key.
    @inline(__always)
    mutating func enterCell() -> UInt64 {
        let shift = UInt64(truncatingIfNeeded: size * 2)
        x = UInt8(truncatingIfNeeded: UInt64(column) >> (shift - 8))
        y = UInt8(truncatingIfNeeded: UInt64(row) >> (shift - 8))
        return CellRange.key(
            shift: UInt32(truncatingIfNeeded: shift), column: UInt32(truncatingIfNeeded: UInt64(column) >> shift),
            row: UInt32(truncatingIfNeeded: UInt64(row) >> shift))
    }
}
