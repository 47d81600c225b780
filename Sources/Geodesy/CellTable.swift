/// A hash table from grid squares to their entries: open addressing with linear probing. The entries of a square are
/// contiguous in a shared pool.
struct CellTable: Sendable {
    /// A shape in a square: its slot, and its box in 256ths of the square.
    struct Entry {
        var slot: UInt32
        var minX: UInt8
        var minY: UInt8
        var maxX: UInt8
        var maxY: UInt8
    }

    struct Cell {
        /// 0 if the cell is free.
        var key: UInt64 = 0
        var start: UInt32 = 0
        var count: UInt32 = 0
    }

    private(set) var cells: ContiguousArray<Cell>
    private(set) var entries: ContiguousArray<Entry> = []
    private var used = 0
    /// The free blocks of each size class.
    private var free: [[UInt32]] = Array(repeating: [], count: 64)

    init() {
        cells = ContiguousArray(repeating: Cell(), count: 16)
    }

    @inline(__always)
    static func hashIndex(_ key: UInt64, mask: Int) -> Int {
        // Fibonacci hashing (Knuth, vol. 3, 6.4), the upper half of the product.
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    }

    /// Returns the indices of a square's entries; empty if it has none.
    @inline(__always)
    func range(_ key: UInt64) -> Range<Int> {
        let cells = cells.span
        let mask = cells.count - 1
        var place = Self.hashIndex(key, mask: mask)
        while true {
            let cell = cells[place]
            if cell.key == key { return Int(cell.start)..<Int(cell.start) + Int(cell.count) }
            if cell.key == 0 { return 0..<0 }
            place = (place + 1) & mask
        }
    }

    mutating func insert(_ entry: Entry, key: UInt64) {
        if (used + 1) * 4 > cells.count * 3 { grow() }
        let mask = cells.count - 1
        var place = Self.hashIndex(key, mask: mask)
        while cells[place].key != 0, cells[place].key != key { place = (place + 1) & mask }
        if cells[place].key == 0 {
            used += 1
            cells[place].key = key
        }
        let cell = cells[place]
        let start = reallocate(cell, to: cell.count + 1)
        entries[Int(start + cell.count)] = entry
        cells[place].start = start
        cells[place].count += 1
    }

    mutating func remove(slot: UInt32, key: UInt64) {
        let mask = cells.count - 1
        var place = Self.hashIndex(key, mask: mask)
        while cells[place].key != key {
            if cells[place].key == 0 { return }
            place = (place + 1) & mask
        }
        let cell = cells[place]
        let range = Int(cell.start)..<Int(cell.start + cell.count)
        guard let index = range.first(where: { entries[$0].slot == slot }) else { return }
        entries.swapAt(index, range.upperBound - 1)
        cells[place].start = reallocate(cell, to: cell.count - 1)
        cells[place].count -= 1
        if cells[place].count == 0 { removeCell(at: place) }
    }

    /// Frees a cell and moves displaced cells back (Knuth, vol. 3, 6.4, algorithm R).
    private mutating func removeCell(at place: Int) {
        let mask = cells.count - 1
        var hole = place
        var next = (place + 1) & mask
        while cells[next].key != 0 {
            let home = Self.hashIndex(cells[next].key, mask: mask)
            if (next - home) & mask >= (next - hole) & mask {
                cells[hole] = cells[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        cells[hole] = Cell()
        used -= 1
    }

    private mutating func grow() {
        let old = cells
        cells = ContiguousArray(repeating: Cell(), count: old.count * 2)
        let mask = cells.count - 1
        for cell in old where cell.key != 0 {
            var place = Self.hashIndex(cell.key, mask: mask)
            while cells[place].key != 0 { place = (place + 1) & mask }
            cells[place] = cell
        }
    }

    // MARK: The pool

    /// Returns the class of the smallest blocks that hold a count. Blocks have 1, 2, 3, 4, 6, 8, 12, 16, 24 … entries.
    private static func sizeClass(_ count: UInt32) -> Int {
        if count <= 2 { return Int(count) - 1 }
        let power = UInt32.bitWidth - (count - 1).leadingZeroBitCount
        // Between 2^(power−1) and 2^power there is a class of 3 × 2^(power−2).
        return count <= 3 << UInt32(power - 2) ? 2 * power - 2 : 2 * power - 1
    }

    private static func capacity(sizeClass: Int) -> UInt32 {
        if sizeClass < 2 { return UInt32(sizeClass + 1) }
        let power = UInt32((sizeClass + 2) / 2)
        return sizeClass.isMultiple(of: 2) ? 3 << (power - 2) : 1 << power
    }

    /// Moves a square's entries to a block for another count, if necessary, and returns the index of the first.
    private mutating func reallocate(_ cell: Cell, to count: UInt32) -> UInt32 {
        let oldClass = cell.count == 0 ? -1 : Self.sizeClass(cell.count)
        let newClass = count == 0 ? -1 : Self.sizeClass(count)
        if oldClass == newClass { return cell.start }
        var start: UInt32 = 0
        if newClass >= 0 {
            start = allocate(newClass)
            for index in 0..<min(cell.count, count) {
                entries[Int(start + index)] = entries[Int(cell.start + index)]
            }
        }
        if oldClass >= 0 { free[oldClass].append(cell.start) }
        return start
    }

    private mutating func allocate(_ sizeClass: Int) -> UInt32 {
        if let block = free[sizeClass].popLast() { return block }
        let start = UInt32(entries.count)
        let empty = Entry(slot: 0, minX: 0, minY: 0, maxX: 0, maxY: 0)
        for _ in 0..<Self.capacity(sizeClass: sizeClass) { entries.append(empty) }
        return start
    }

    /// Removes the gaps between blocks and releases the memory reserved for growth.
    mutating func compact() {
        var packed: ContiguousArray<Entry> = []
        var total = 0
        for cell in cells where cell.key != 0 { total += Int(Self.capacity(sizeClass: Self.sizeClass(cell.count))) }
        packed.reserveCapacity(total)
        let empty = Entry(slot: 0, minX: 0, minY: 0, maxX: 0, maxY: 0)
        for place in cells.indices where cells[place].key != 0 {
            let cell = cells[place]
            cells[place].start = UInt32(packed.count)
            packed += entries[Int(cell.start)..<Int(cell.start + cell.count)]
            let capacity = Self.capacity(sizeClass: Self.sizeClass(cell.count))
            for _ in cell.count..<capacity { packed.append(empty) }
        }
        entries = packed
        free = Array(repeating: [], count: 64)
    }
}
