import OdographGeodesy

/// A hash table with open addressing that finds a slot by its identifier. The identifiers are stored elsewhere.
struct IdentifierTable: Sendable {
    private static let emptyBucket = UInt32.max

    private var slots: ContiguousArray<UInt32> = []
    private(set) var count = 0

    /// Returns the first bucket of an identifier. The seed differs in each run, so that identifiers with equal buckets
    /// cannot be chosen in advance.
    private func homeBucket(_ identifier: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: identifier)
        return hasher.finalize() & (slots.count - 1)
    }

    func slot(of identifier: UnsafeRawBufferPointer, in attributes: GeofenceAttributes) -> ShapeIndex.Slot? {
        bucket(of: identifier, in: attributes).map { Int(slots[$0]) }
    }

    private func bucket(of identifier: UnsafeRawBufferPointer, in attributes: GeofenceAttributes) -> Int? {
        guard count > 0 else { return nil }
        var place = homeBucket(identifier)
        while slots[place] != Self.emptyBucket {
            let isIt = attributes.withIdentifier(Int(slots[place])) {
                $0.count == identifier.count && $0.elementsEqual(identifier)
            }
            if isIt { return place }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Enters a slot whose identifier is in no other, once its record is there.
    mutating func insert(_ slot: ShapeIndex.Slot, in attributes: GeofenceAttributes) {
        if (count + 1) * 3 > slots.count * 2 { grow(to: max(16, slots.count * 2), attributes) }
        insertUnchecked(slot, attributes)
        count += 1
    }

    /// Makes room for so many.
    mutating func reserve(_ wanted: Int, in attributes: GeofenceAttributes) {
        var size = 16
        while wanted * 3 > size * 2 { size *= 2 }
        if size > slots.count { grow(to: size, attributes) }
    }

    private mutating func grow(to size: Int, _ attributes: GeofenceAttributes) {
        let old = slots
        slots = ContiguousArray(repeating: Self.emptyBucket, count: size)
        for slot in old where slot != Self.emptyBucket { insertUnchecked(Int(slot), attributes) }
    }

    private mutating func insertUnchecked(_ slot: ShapeIndex.Slot, _ attributes: GeofenceAttributes) {
        var place = attributes.withIdentifier(slot) { homeBucket($0) }
        while slots[place] != Self.emptyBucket { place = (place + 1) & (slots.count - 1) }
        slots[place] = UInt32(slot)
    }

    /// Takes a slot out, before its record goes. What lies behind it moves up, so that no search ends too early.
    mutating func remove(_ identifier: UnsafeRawBufferPointer, in attributes: GeofenceAttributes) {
        guard var gap = bucket(of: identifier, in: attributes) else { return }
        var place = gap
        while true {
            place = (place + 1) & (slots.count - 1)
            guard slots[place] != Self.emptyBucket else { break }
            let home = attributes.withIdentifier(Int(slots[place])) { self.homeBucket($0) }
            // It may move where its home is not between the gap and where it lies.
            if (place - home) & (slots.count - 1) >= (place - gap) & (slots.count - 1) {
                slots[gap] = slots[place]
                gap = place
            }
        }
        slots[gap] = Self.emptyBucket
        count -= 1
    }
}

extension GeofenceAttributes {
    /// Gives the bytes of a slot's identifier; none where the slot is empty.
    @inline(__always)
    func withIdentifier<Result>(_ slot: ShapeIndex.Slot, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { all in
            body(UnsafeRawBufferPointer(rebasing: all[identifierRange(slot) ?? 0..<0]))
        }
    }
}
