public import OdographGeodesy
import OdographModel

/// A set of geofences, found by place or by identifier: a hundred thousand in a few pieces of memory.
///
/// A value: a copy is a snapshot, and costs nothing until one of the two is changed.
public struct GeofenceSet: Sendable {
    /// The shapes; its slots are those of ``identifier(_:)`` and ``rule(_:)``.
    public private(set) var index = ShapeIndex()
    private(set) var attributes = GeofenceAttributes()
    private var table = IdentifierTable()
    /// A hash of the whole content that does not depend on the order, the same in every run; 0 for no geofence.
    public private(set) var identity: UInt64 = 0

    /// An empty set.
    public init() {}

    /// A set of geofences; of those with the same identifier the last counts.
    public init(_ fences: some Sequence<Geofence>) {
        for fence in fences { add(fence) }
    }

    /// A set of checked parts of a file.
    init(index: ShapeIndex, attributes: GeofenceAttributes, identity: UInt64) {
        self.index = index
        self.attributes = attributes
        self.identity = identity
        table.reserve(index.count, in: attributes)
        for slot in 0..<index.slotLimit where index.isOccupied(slot) { table.insert(slot, in: attributes) }
    }

    /// The number of geofences.
    public var count: Int { table.count }

    /// Returns the slot of a geofence; nil where there is none of that identifier.
    public func slot(of identifier: String) -> ShapeIndex.Slot? {
        var identifier = identifier
        return identifier.withUTF8 { table.slot(of: UnsafeRawBufferPointer($0), in: attributes) }
    }

    /// Returns the identifier of the geofence in a slot; nil where the slot is empty.
    public func identifier(_ slot: ShapeIndex.Slot) -> String? { attributes.identifier(slot) }

    /// Returns the rule of the geofence in a slot; nil where the slot is empty.
    public func rule(_ slot: ShapeIndex.Slot) -> GeofenceRule? { attributes.rule(slot, withTexts: true) }

    /// Returns the rule without name, significance and extras; allocates nothing.
    public func ruleWithoutTexts(_ slot: ShapeIndex.Slot) -> GeofenceRule? { attributes.rule(slot, withTexts: false) }

    /// Returns a hash of a geofence's whole content; 0 for an empty slot.
    public func fingerprint(_ slot: ShapeIndex.Slot) -> UInt64 {
        guard index.isOccupied(slot) else { return 0 }
        var hash = ContentHash()
        hash.combine(attributes.fingerprint(slot))
        hash.combine(index.fingerprint(slot))
        return hash.value
    }

    /// Calls a function with each slot that has a geofence, ascending.
    public func forEachSlot(_ body: (ShapeIndex.Slot) -> Void) {
        for slot in 0..<index.slotLimit where index.isOccupied(slot) { body(slot) }
    }

    // MARK: Change

    /// Adds a geofence, and removes the one of its identifier.
    /// - Returns: its slot.
    @discardableResult
    public mutating func add(_ fence: Geofence) -> ShapeIndex.Slot {
        remove(fence.identifier)
        let slot = index.add(fence.shape)
        attributes.put(fence.identifier, fence.rule, at: slot)
        table.insert(slot, in: attributes)
        identity &+= fingerprint(slot)
        return slot
    }

    /// Adds a geofence of another set, and removes the one of its identifier.
    /// - Returns: its slot; nil where the other slot is empty.
    @discardableResult
    public mutating func add(_ other: ShapeIndex.Slot, of set: GeofenceSet) -> ShapeIndex.Slot? {
        guard let identifier = set.identifier(other) else { return nil }
        remove(identifier)
        guard let slot = index.add(other, from: set.index) else { return nil }
        attributes.put(other, of: set.attributes, at: slot)
        table.insert(slot, in: attributes)
        identity &+= fingerprint(slot)
        return slot
    }

    /// Removes a geofence, if there is one of that identifier.
    public mutating func remove(_ identifier: String) {
        guard let slot = slot(of: identifier) else { return }
        remove(slot)
    }

    /// Removes a geofence, if the slot has one.
    public mutating func remove(_ slot: ShapeIndex.Slot) {
        guard var identifier = identifier(slot) else { return }
        identity &-= fingerprint(slot)
        identifier.withUTF8 { table.remove(UnsafeRawBufferPointer($0), in: attributes) }
        attributes.remove(slot)
        index.remove(slot)
    }

    /// Releases the memory reserved for growth.
    public mutating func compact() {
        index.compact()
        attributes.compact()
    }
}
