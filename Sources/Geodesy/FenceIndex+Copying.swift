extension FenceIndex {
    /// Adds the shape of another index, as it is encoded there.
    ///
    /// - Returns: Its slot; nil where the other slot is empty.
    @discardableResult
    package mutating func add(_ slot: Slot, of other: FenceIndex) -> Slot? {
        guard other.isOccupied(slot) else { return nil }
        let start = other.offset(slot)
        return add(encoded: other.bytes[start..<start + other.header(slot).eighths * 8])
    }
}
