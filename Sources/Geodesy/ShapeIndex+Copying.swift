extension ShapeIndex {
    /// Adds a copy of the encoded shape of another index.
    /// - Returns: The new slot; nil if the other slot is empty.
    @discardableResult
    package mutating func add(_ slot: Slot, from other: ShapeIndex) -> Slot? {
        guard other.isOccupied(slot) else { return nil }
        let start = other.offset(slot)
        return add(encoded: other.bytes[start..<start + other.header(slot).wordCount * 8])
    }
}

extension ShapeIndex {
    /// Returns the kind of a slot's shape, `circle`, `polygon` or `corridor`; nil if the slot is empty.
    package func kindName(_ slot: Slot) -> String? {
        guard isOccupied(slot) else { return nil }
        return switch header(slot).kind {
        case .circle: "circle"
        case .polygon: "polygon"
        case .corridor: "corridor"
        }
    }
}
