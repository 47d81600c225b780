import Geodesy

/// The geofences in force, found by place or by identifier.
public struct GeofenceSet: Sendable {
    /// Where they are; its slots are those of ``subscript(_:)``.
    public private(set) var index = FenceIndex()
    private var fences: [FenceIndex.Slot: (identifier: String, rule: GeofenceRule)] = [:]
    private var slots: [String: FenceIndex.Slot] = [:]
    /// A number that stands for the whole content, whatever order it came in: the same in every run. 0 for no fence.
    public private(set) var identity: UInt64 = 0

    /// No fence.
    public init() {}

    /// Of fences with the same identifier the last counts.
    public init(_ fences: some Sequence<Geofence>) {
        for fence in fences { add(fence) }
    }

    /// How many there are.
    public var count: Int { slots.count }

    /// The slot of a fence; nil where there is none of that identifier.
    public func slot(of identifier: String) -> FenceIndex.Slot? { slots[identifier] }

    /// The identifier of the fence in a slot of ``index``; nil where the slot is empty.
    public func identifier(_ slot: FenceIndex.Slot) -> String? { fences[slot]?.identifier }

    /// The rule of the fence in a slot of ``index``; nil where the slot is empty.
    public func rule(_ slot: FenceIndex.Slot) -> GeofenceRule? { fences[slot]?.rule }

    /// Adds a fence in the place of the one of its identifier.
    public mutating func add(_ fence: Geofence) {
        remove(fence.identifier)
        let slot = index.add(fence.shape)
        fences[slot] = (fence.identifier, fence.rule)
        slots[fence.identifier] = slot
        identity &+= fingerprint(slot)
    }

    /// Takes a fence out; nothing happens where there is none of that identifier.
    public mutating func remove(_ identifier: String) {
        guard let slot = slots.removeValue(forKey: identifier) else { return }
        identity &-= fingerprint(slot)
        index.remove(slot)
        fences[slot] = nil
    }

    private func fingerprint(_ slot: FenceIndex.Slot) -> UInt64 {
        guard let (identifier, rule) = fences[slot] else { return 0 }
        return Geofence.fingerprint(
            identifier: identifier, rule: rule, shapeFingerprint: index.fingerprint(slot))
    }
}
