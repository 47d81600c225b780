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
