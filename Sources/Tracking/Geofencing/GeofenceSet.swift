public import Geodesy
import OdographModel

/// The geofences in force, found by place or by identifier.
///
/// A hundred thousand lie in a few pieces of memory, without an object or a text of their own. A value: a copy is a snapshot,
/// and costs nothing until one of the two is changed.
public struct GeofenceSet: Sendable {
    /// Where they are; its slots are those of ``identifier(_:)`` and ``rule(_:)``.
    public private(set) var index = ShapeIndex()
    private(set) var attributes = GeofenceAttributes()
    private var table = IdentifierTable()
    /// A number that stands for the whole content, whatever order it came in: the same in every run. 0 for no fence.
    public private(set) var identity: UInt64 = 0

    /// No fence.
    public init() {}

    /// Of fences with the same identifier the last counts.
    public init(_ fences: some Sequence<Geofence>) {
        for fence in fences { add(fence) }
    }

    /// Takes over what a file said and was checked.
    init(index: ShapeIndex, attributes: GeofenceAttributes, identity: UInt64) {
        self.index = index
        self.attributes = attributes
        self.identity = identity
        table.reserve(index.count, in: attributes)
        for slot in 0..<index.slotLimit where index.isOccupied(slot) { table.insert(slot, in: attributes) }
    }

    /// How many there are.
    public var count: Int { table.count }

    /// The bytes of memory that it holds, what schedules take apart.
    public var byteCount: Int { index.byteCount + attributes.byteCount + table.byteCount }

    /// The slot of a fence; nil where there is none of that identifier.
    public func slot(of identifier: String) -> ShapeIndex.Slot? {
        var identifier = identifier
        return identifier.withUTF8 { table.slot(of: UnsafeRawBufferPointer($0), in: attributes) }
    }

    /// The identifier of the fence in a slot of ``firstIndex``; nil where the slot is empty.
    public func identifier(_ slot: ShapeIndex.Slot) -> String? { attributes.identifier(slot) }

    /// The rule of the fence in a slot of ``firstIndex``; nil where the slot is empty.
    public func rule(_ slot: ShapeIndex.Slot) -> GeofenceRule? { attributes.rule(slot, withTexts: true) }

    /// The same without name, significance and extras: allocates nothing.
    public func ruleWithoutTexts(_ slot: ShapeIndex.Slot) -> GeofenceRule? { attributes.rule(slot, withTexts: false) }

    /// A number that stands for a fence's whole content; 0 for an empty slot.
    public func fingerprint(_ slot: ShapeIndex.Slot) -> UInt64 {
        guard index.isOccupied(slot) else { return 0 }
        var hash = ContentHash()
        hash.combine(attributes.fingerprint(slot))
        hash.combine(index.fingerprint(slot))
        return hash.value
    }

    /// Calls with each slot that has a fence, ascending.
    public func forEachSlot(_ body: (ShapeIndex.Slot) -> Void) {
        for slot in 0..<index.slotLimit where index.isOccupied(slot) { body(slot) }
    }

    // MARK: Change

    /// Adds a fence in the place of the one of its identifier.
    ///
    /// - Returns: Its slot.
    @discardableResult
    public mutating func add(_ fence: Geofence) -> ShapeIndex.Slot {
        remove(fence.identifier)
        let slot = index.add(fence.shape)
        attributes.put(fence.identifier, fence.rule, at: slot)
        table.insert(slot, in: attributes)
        identity &+= fingerprint(slot)
        return slot
    }

    /// Adds a fence of another set in the place of the one of its identifier.
    ///
    /// - Returns: Its slot; nil where the other slot is empty.
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

    /// Takes a fence out; nothing happens where there is none of that identifier.
    public mutating func remove(_ identifier: String) {
        guard let slot = slot(of: identifier) else { return }
        remove(slot)
    }

    /// Takes a fence out; an empty slot is left as it is.
    public mutating func remove(_ slot: ShapeIndex.Slot) {
        guard var identifier = identifier(slot) else { return }
        identity &-= fingerprint(slot)
        identifier.withUTF8 { table.remove(UnsafeRawBufferPointer($0), in: attributes) }
        attributes.remove(slot)
        index.remove(slot)
    }

    /// Gives back the memory that is held for growth.
    public mutating func compact() {
        index.compact()
        attributes.compact()
    }
}
