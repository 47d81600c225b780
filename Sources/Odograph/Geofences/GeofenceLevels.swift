import OdographGeodesy
import OdographModel
import OdographTracking
import OdographWire

/// The geofences of one level that are published as a whole set, or one by one.
package struct GeofenceLayer: Hashable, Sendable {
    /// The level of the geofences.
    package var level: DownlinkLevel
    /// Whether the geofences are published one by one. These override the whole set of their level.
    package var isSingle: Bool
}

/// The geofences of all layers. If several layers have the same identifier, the strongest one is in force. The order,
/// weakest first: the whole set for all devices, the single ones for all, the same two of each group, of the device,
/// and of the embedding program.
///
/// The set in force depends only on the newest message of each topic, not on the order or the number of messages. Each
/// fence is stored once: in the set in force, or, if a stronger layer overrides it, in `overridden`.
package struct GeofenceLevels: Sendable {
    /// The layers, the weakest first.
    package let layers: [GeofenceLayer]
    /// The geofences in force.
    package private(set) var activeSet = GeofenceSet()
    /// The index of the layer of each slot in the set in force.
    private var slotLayers: ContiguousArray<UInt16> = []
    /// The overridden fences of each layer.
    private var overridden: [GeofenceSet]
    /// The number of each layer's fences in force.
    private var activeCounts: [Int]

    /// - Parameter order: The levels that apply to the device, the weakest first.
    package init(order: [DownlinkLevel]) {
        layers = order.flatMap {
            [GeofenceLayer(level: $0, isSingle: false), GeofenceLayer(level: $0, isSingle: true)]
        }
        overridden = Array(repeating: GeofenceSet(), count: layers.count)
        activeCounts = Array(repeating: 0, count: layers.count)
    }

    /// Returns the number of a layer's fences, in force or overridden.
    package func count(of layer: GeofenceLayer) -> Int {
        layers.firstIndex(of: layer).map { activeCounts[$0] + overridden[$0].count } ?? 0
    }

    /// Returns the layer of a fence in force.
    package func layer(ofSlot slot: ShapeIndex.Slot) -> GeofenceLayer? {
        activeSet.index.isOccupied(slot) ? layers[Int(slotLayers[slot])] : nil
    }

    /// Returns all fences of a layer, for its file.
    package func fences(of layer: GeofenceLayer) -> GeofenceSet {
        guard let place = layers.firstIndex(of: layer) else { return GeofenceSet() }
        if activeCounts[place] == activeSet.count, overridden[place].count == 0 { return activeSet }
        var set = overridden[place]
        activeSet.forEachSlot { slot in
            if Int(slotLayers[slot]) == place { set.add(slot, of: activeSet) }
        }
        return set
    }

    /// Returns the fingerprint of a layer's fence. 0 if the layer has no such fence.
    package func fingerprint(_ identifier: String, in layer: GeofenceLayer) -> UInt64 {
        guard let place = layers.firstIndex(of: layer) else { return 0 }
        if let slot = activeSet.slot(of: identifier), Int(slotLayers[slot]) == place {
            return activeSet.fingerprint(slot)
        }
        return overridden[place].slot(of: identifier).map(overridden[place].fingerprint) ?? 0
    }

    // MARK: Change

    /// Replaces the levels. The geofences of levels that are no longer there are removed.
    /// - Parameter order: The levels that apply to the device, the weakest first.
    package mutating func change(order: [DownlinkLevel]) {
        var new = GeofenceLevels(order: order)
        for layer in new.layers where count(of: layer) > 0 { new.replace(layer, with: fences(of: layer)) }
        self = new
    }

    /// Replaces all fences of a layer.
    package mutating func replace(_ layer: GeofenceLayer, with set: GeofenceSet) {
        guard let place = layers.firstIndex(of: layer) else { return }
        overridden[place] = GeofenceSet()
        // The usual case: there is no other layer, and no fence must be moved.
        if activeCounts[place] == activeSet.count, overridden.allSatisfy({ $0.count == 0 }) {
            activeSet = set
            slotLayers = ContiguousArray(repeating: UInt16(place), count: set.index.slotLimit)
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

    /// Adds a fence to a layer, or replaces the one with its identifier.
    package mutating func insert(_ fence: Geofence, in layer: GeofenceLayer) {
        guard let place = layers.firstIndex(of: layer) else { return }
        var set = GeofenceSet()
        insert(set.add(fence), of: set, place)
    }

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
        slotLayers[new] = UInt16(place)
        activeCounts[place] += 1
    }
}
