/// An index of shapes: finds those that contain a point in a time that does not depend on their number.
///
/// The encoded shapes are contiguous in memory. A hashed grid of squares of several sizes refers to them. A shape is
/// entered, with its box, in one to four squares: those that it touches of the smallest size not smaller than the
/// shape. A query looks up one square of each size, skips entries whose boxes do not contain the point, and tests the
/// remaining shapes. A query allocates nothing.
///
/// The index is a value: a copy is a snapshot and costs nothing until one of the two is changed.
public struct ShapeIndex: Sendable {
    /// The identifier of a shape while it is in the index. A freed slot is used again.
    public typealias Slot = Int

    /// The offset of each slot's shape, in units of 8 bytes; `vacant` if there is none.
    private(set) var offsets: ContiguousArray<UInt32> = []
    private(set) var bytes: ContiguousArray<UInt8> = []
    private(set) var table = CellTable()
    /// The number of shapes in squares of each size, indexed by half the shift.
    private var populations = ContiguousArray<Int>(repeating: 0, count: 17)
    /// A bit for each size of square in use, numbered by half the shift.
    private(set) var sizes: UInt32 = 0
    private var vacantSlots: [Slot] = []
    private var wastedBytes = 0

    static let vacant = UInt32.max
    /// The shift of the smallest squares: 2¹⁰ columns, about 10 m at the equator.
    static let minimumShift: UInt32 = 10

    /// Creates an empty index.
    public init() {}

    /// The number of shapes.
    public var count: Int { offsets.count - vacantSlots.count }

    /// The greatest slot that was ever in use, plus one.
    public var slotLimit: Int { offsets.count }

    /// Whether a slot contains a shape.
    public func isOccupied(_ slot: Slot) -> Bool {
        offsets.indices.contains(slot) && offsets[slot] != Self.vacant
    }

    /// Adds a shape.
    /// - Returns: The slot: the one freed last, otherwise a new one.
    @discardableResult
    public mutating func add(_ shape: Shape) -> Slot {
        add(encoded: ShapeEncoder.encoded(shape)[...])
    }

    mutating func add(encoded: ContiguousArray<UInt8>.SubSequence) -> Slot {
        let slot = vacantSlots.popLast() ?? offsets.count
        if slot == offsets.count { offsets.append(Self.vacant) }
        offsets[slot] = UInt32(bytes.count / 8)
        bytes.append(contentsOf: encoded)
        insertCells(of: slot)
        return slot
    }

    /// Removes a shape. Does nothing for an empty slot.
    public mutating func remove(_ slot: Slot) {
        guard isOccupied(slot) else { return }
        let header = self.header(slot)
        let range = cells(of: header)
        range.forEach { key, _, _ in table.remove(slot: UInt32(slot), key: key) }
        populations[Int(range.shift) / 2] -= 1
        if populations[Int(range.shift) / 2] == 0 { sizes &= ~(1 << (range.shift / 2)) }
        offsets[slot] = Self.vacant
        vacantSlots.append(slot)
        wastedBytes += header.wordCount * 8
        // Copying at half waste costs no more than the bytes removed, on average.
        if wastedBytes > 65_536, wastedBytes * 2 > bytes.count { closeGaps() }
    }

    /// Releases the memory reserved for growth and that of removed shapes.
    public mutating func compact() {
        closeGaps()
        table.compact()
    }

    // MARK: Inside

    func header(_ slot: Slot) -> ShapeHeader {
        ShapeHeader(bytes.span.bytes, at: offset(slot))
    }

    @inline(__always)
    func offset(_ slot: Slot) -> Int { Int(offsets[slot]) * 8 }

    /// Returns the squares in which a shape is entered.
    func cells(of header: ShapeHeader) -> CellRange {
        let box = GridBox(header)
        let extent = max(box.width, box.height, 1)
        let needed = UInt32(UInt32.bitWidth - extent.leadingZeroBitCount)
        return CellRange(box, shift: max(Self.minimumShift, (needed + 1) & ~1))
    }

    private mutating func insertCells(of slot: Slot) {
        let header = self.header(slot)
        let box = GridBox(header)
        let range = cells(of: header)
        range.forEach { key, column, row in
            table.insert(Self.entry(slot, box, range.shift, column, row), key: key)
        }
        populations[Int(range.shift) / 2] += 1
        sizes |= 1 << (range.shift / 2)
    }

    /// Returns the part of a box that is in a square.
    private static func entry(
        _ slot: Slot, _ box: GridBox, _ shift: UInt32, _ column: UInt32, _ row: UInt32
    ) -> CellTable.Entry {
        let size = Int64(1) << Int64(shift)
        let turn = Int64(1) << 32
        // The offset from the square to the box's western side, modulo whole turns.
        var west = Int64(box.column) - Int64(column) << Int64(shift)
        if west <= -turn + size { west += turn }
        if west >= size { west -= turn }
        let south = Int64(box.row) - Int64(row) << Int64(shift)
        func part(_ value: Int64) -> UInt8 {
            UInt8(truncatingIfNeeded: min(255, max(0, value >> Int64(shift - 8))))
        }
        // In the square that is the whole globe, a box over the seam has two parts. The full width covers both.
        let isWhole = shift == 32 && UInt64(box.column) + UInt64(box.width) > 0xFFFF_FFFF
        return CellTable.Entry(
            slot: UInt32(slot), minX: isWhole ? 0 : part(west), minY: part(south),
            maxX: isWhole ? 255 : part(west + Int64(box.width)), maxY: part(south + Int64(box.height)))
    }

    private mutating func closeGaps() {
        var packed: ContiguousArray<UInt8> = []
        packed.reserveCapacity(bytes.count - wastedBytes)
        for slot in offsets.indices where offsets[slot] != Self.vacant {
            let start = offset(slot)
            let length = header(slot).wordCount * 8
            offsets[slot] = UInt32(packed.count / 8)
            packed.append(contentsOf: bytes[start..<start + length])
        }
        bytes = packed
        wastedBytes = 0
    }

    /// Creates an index from validated parts.
    init(offsets: ContiguousArray<UInt32>, bytes: ContiguousArray<UInt8>) {
        self.offsets = offsets
        self.bytes = bytes
        for slot in offsets.indices {
            if offsets[slot] == Self.vacant { vacantSlots.append(slot) } else { insertCells(of: slot) }
        }
        table.compact()
    }
}
