extension ShapeIndex {
    /// Adds the shape of another index, as it is encoded there.
    ///
    /// - Returns: Its slot; nil where the other slot is empty.
    @discardableResult
    package mutating func add(_ slot: Slot, from other: ShapeIndex) -> Slot? {
        guard other.isOccupied(slot) else { return nil }
        let start = other.offset(slot)
        return add(encoded: other.bytes[start..<start + other.header(slot).wordCount * 8])
    }
}

extension ShapeIndex {
    /// What kind of shape lies in a slot: `circle`, `polygon` or `corridor`; nil where the slot is empty.
    package func kindName(_ slot: Slot) -> String? {
        guard isOccupied(slot) else { return nil }
        return switch header(slot).kind {
        case .circle: "circle"
        case .polygon: "polygon"
        case .corridor: "corridor"
        }
    }
}
