import Geodesy
import Tracking
import Wire

/// A place where geofences come from, and what they give way to.
package struct GeofenceLayer: Hashable, Sendable {
    /// Whom they are for.
    package var level: DownlinkLevel
    /// Whether they came one by one: those lie over the whole set of their level.
    package var isSingle: Bool
}

/// The geofences out of all their layers: of those with one identifier the one of the strongest layer is in force. Stronger are, in this
/// order: the whole set for all devices, the single ones for all, the same two of each group, and of the device.
///
/// What is in force is a function of what each topic said last, so it makes no difference in which order, or how often, messages come. Each
/// fence is held once: in the set in force, or, where another covers it, beside it.
package struct GeofenceLevels: Sendable {
    /// The layers, the weakest first.
    package let layers: [GeofenceLayer]
    /// What holds now.
    package private(set) var activeSet = GeofenceSet()
    /// For each slot of the set in force the layer that it is of.
    private var slotLayers: ContiguousArray<UInt8> = []
    /// For each layer what is of it and covered by a stronger one.
    private var overridden: [GeofenceSet]
    /// For each layer how many of it are in force.
    private var activeCounts: [Int]

    /// - Parameter order: the levels that the device listens to, the weakest first.
    package init(order: [DownlinkLevel]) {
        layers = order.flatMap {
            [GeofenceLayer(level: $0, isSingle: false), GeofenceLayer(level: $0, isSingle: true)]
        }
        overridden = Array(repeating: GeofenceSet(), count: layers.count)
        activeCounts = Array(repeating: 0, count: layers.count)
    }

    /// How many fences a layer has, in force or covered.
    package func count(of layer: GeofenceLayer) -> Int {
        layers.firstIndex(of: layer).map { activeCounts[$0] + overridden[$0].count } ?? 0
    }

    /// The layer that a fence in force is of.
    package func layer(ofSlot slot: ShapeIndex.Slot) -> GeofenceLayer? {
        activeSet.index.isOccupied(slot) ? layers[Int(slotLayers[slot])] : nil
    }

    /// All fences of a layer, for its file.
    package func fences(of layer: GeofenceLayer) -> GeofenceSet {
        guard let place = layers.firstIndex(of: layer) else { return GeofenceSet() }
        if activeCounts[place] == activeSet.count, overridden[place].count == 0 { return activeSet }
        var set = overridden[place]
        activeSet.forEachSlot { slot in
            if Int(slotLayers[slot]) == place { set.add(slot, of: activeSet) }
        }
        return set
    }

    /// A fence as a layer has it, by its fingerprint; 0 where it has none.
    package func fingerprint(_ identifier: String, in layer: GeofenceLayer) -> UInt64 {
        guard let place = layers.firstIndex(of: layer) else { return 0 }
        if let slot = activeSet.slot(of: identifier), Int(slotLayers[slot]) == place {
            return activeSet.fingerprint(slot)
        }
        return overridden[place].slot(of: identifier).map(overridden[place].fingerprint) ?? 0
    }

    // MARK: Change

    /// A layer is this set from now on.
    package mutating func replace(_ layer: GeofenceLayer, with set: GeofenceSet) {
        guard let place = layers.firstIndex(of: layer) else { return }
        overridden[place] = GeofenceSet()
        // The usual case: nothing else is there, and nothing need be moved.
        if activeCounts[place] == activeSet.count, overridden.allSatisfy({ $0.count == 0 }) {
            activeSet = set
            slotLayers = ContiguousArray(repeating: UInt8(place), count: set.index.slotLimit)
            activeCounts[place] = set.count
            return
        }
        var gone: [String] = []
        activeSet.forEachSlot { slot in
            guard Int(slotLayers[slot]) == place, let identifier = activeSet.identifier(slot) else { return }
            if set.slot(of: identifier) == nil { gone.append(identifier) }
        }
        for identifier in gone { remove(identifier, place) }
        set.forEachSlot { insert($0, of: set, place) }
        activeSet.compact()
    }

    /// A layer has a fence more, in the place of its own one of that identifier.
    package mutating func insert(_ fence: Geofence, in layer: GeofenceLayer) {
        guard let place = layers.firstIndex(of: layer) else { return }
        var set = GeofenceSet()
        insert(set.add(fence), of: set, place)
    }

    /// A layer has a fence less.
    package mutating func remove(_ identifier: String, from layer: GeofenceLayer) {
        guard let place = layers.firstIndex(of: layer) else { return }
        remove(identifier, place)
    }

    private mutating func insert(_ slot: ShapeIndex.Slot, of set: GeofenceSet, _ place: Int) {
        guard let identifier = set.identifier(slot) else { return }
        if let old = activeSet.slot(of: identifier) {
            let origin = Int(slotLayers[old])
            if origin > place { return _ = overridden[place].add(slot, of: set) }
            if activeSet.fingerprint(old) == set.fingerprint(slot), origin == place { return }
            if origin < place { overridden[origin].add(old, of: activeSet) }
            activeCounts[origin] -= 1
        }
        activate(slot, of: set, place)
    }

    private mutating func remove(_ identifier: String, _ place: Int) {
        guard let slot = activeSet.slot(of: identifier), Int(slotLayers[slot]) == place else {
            return overridden[place].remove(identifier)
        }
        activeSet.remove(slot)
        activeCounts[place] -= 1
        for below in (0..<place).reversed() {
            guard let uncovered = overridden[below].slot(of: identifier) else { continue }
            activate(uncovered, of: overridden[below], below)
            return overridden[below].remove(identifier)
        }
    }

    private mutating func activate(_ slot: ShapeIndex.Slot, of set: GeofenceSet, _ place: Int) {
        guard let new = activeSet.add(slot, of: set) else { return }
        while slotLayers.count <= new { slotLayers.append(0) }
        slotLayers[new] = UInt8(place)
        activeCounts[place] += 1
    }
}
