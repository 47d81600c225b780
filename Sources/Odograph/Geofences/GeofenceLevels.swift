import Geodesy
import Tracking
import Wire

/// A place where geofences come from, and what they give way to.
struct GeofenceLayer: Hashable, Sendable {
    /// Whom they are for.
    var level: DownlinkLevel
    /// Whether they came one by one: those lie over the whole set of their level.
    var isSingle: Bool
}

/// The geofences out of all their layers: of those with one identifier the one of the strongest layer is in force. Stronger are, in this
/// order: the whole set for all devices, the single ones for all, the same two of each group, and of the device.
///
/// What is in force is a function of what each topic said last, so it makes no difference in which order, or how often, messages come. Each
/// fence is held once: in the set in force, or, where another covers it, beside it.
struct GeofenceLevels: Sendable {
    /// The layers, the weakest first.
    let layers: [GeofenceLayer]
    /// What holds now.
    private(set) var inForce = GeofenceSet()
    /// For each slot of the set in force the layer that it is of.
    private var origins: ContiguousArray<UInt8> = []
    /// For each layer what is of it and covered by a stronger one.
    private var covered: [GeofenceSet]
    /// For each layer how many of it are in force.
    private var counts: [Int]

    /// - Parameter order: the levels that the device listens to, the weakest first.
    init(order: [DownlinkLevel]) {
        layers = order.flatMap {
            [GeofenceLayer(level: $0, isSingle: false), GeofenceLayer(level: $0, isSingle: true)]
        }
        covered = Array(repeating: GeofenceSet(), count: layers.count)
        counts = Array(repeating: 0, count: layers.count)
    }

    /// How many fences a layer has, in force or covered.
    func count(of layer: GeofenceLayer) -> Int {
        layers.firstIndex(of: layer).map { counts[$0] + covered[$0].count } ?? 0
    }

    /// The layer that a fence in force is of.
    func layer(ofSlot slot: FenceIndex.Slot) -> GeofenceLayer? {
        inForce.index.isOccupied(slot) ? layers[Int(origins[slot])] : nil
    }

    /// All fences of a layer, for its file.
    func fences(of layer: GeofenceLayer) -> GeofenceSet {
        guard let place = layers.firstIndex(of: layer) else { return GeofenceSet() }
        if counts[place] == inForce.count, covered[place].count == 0 { return inForce }
        var set = covered[place]
        inForce.forEachSlot { slot in
            if Int(origins[slot]) == place { set.add(slot, of: inForce) }
        }
        return set
    }

    /// A fence as a layer has it, by its fingerprint; 0 where it has none.
    func fingerprint(_ identifier: String, in layer: GeofenceLayer) -> UInt64 {
        guard let place = layers.firstIndex(of: layer) else { return 0 }
        if let slot = inForce.slot(of: identifier), Int(origins[slot]) == place { return inForce.fingerprint(slot) }
        return covered[place].slot(of: identifier).map(covered[place].fingerprint) ?? 0
    }

    // MARK: Change

    /// A layer is this set from now on.
    mutating func replace(_ layer: GeofenceLayer, with set: GeofenceSet) {
        guard let place = layers.firstIndex(of: layer) else { return }
        covered[place] = GeofenceSet()
        // The usual case: nothing else is there, and nothing need be moved.
        if counts[place] == inForce.count, covered.allSatisfy({ $0.count == 0 }) {
            inForce = set
            origins = ContiguousArray(repeating: UInt8(place), count: set.index.slotLimit)
            counts[place] = set.count
            return
        }
        var gone: [String] = []
        inForce.forEachSlot { slot in
            guard Int(origins[slot]) == place, let identifier = inForce.identifier(slot) else { return }
            if set.slot(of: identifier) == nil { gone.append(identifier) }
        }
        for identifier in gone { remove(identifier, place) }
        set.forEachSlot { put($0, of: set, place) }
        inForce.compact()
    }

    /// A layer has a fence more, in the place of its own one of that identifier.
    mutating func put(_ fence: Geofence, in layer: GeofenceLayer) {
        guard let place = layers.firstIndex(of: layer) else { return }
        var set = GeofenceSet()
        put(set.add(fence), of: set, place)
    }

    /// A layer has a fence less.
    mutating func remove(_ identifier: String, from layer: GeofenceLayer) {
        guard let place = layers.firstIndex(of: layer) else { return }
        remove(identifier, place)
    }

    private mutating func put(_ slot: FenceIndex.Slot, of set: GeofenceSet, _ place: Int) {
        guard let identifier = set.identifier(slot) else { return }
        if let old = inForce.slot(of: identifier) {
            let origin = Int(origins[old])
            if origin > place { return _ = covered[place].add(slot, of: set) }
            if inForce.fingerprint(old) == set.fingerprint(slot), origin == place { return }
            if origin < place { covered[origin].add(old, of: inForce) }
            counts[origin] -= 1
        }
        enter(slot, of: set, place)
    }

    private mutating func remove(_ identifier: String, _ place: Int) {
        guard let slot = inForce.slot(of: identifier), Int(origins[slot]) == place else {
            return covered[place].remove(identifier)
        }
        inForce.remove(slot)
        counts[place] -= 1
        for below in (0..<place).reversed() {
            guard let uncovered = covered[below].slot(of: identifier) else { continue }
            enter(uncovered, of: covered[below], below)
            return covered[below].remove(identifier)
        }
    }

    private mutating func enter(_ slot: FenceIndex.Slot, of set: GeofenceSet, _ place: Int) {
        guard let new = inForce.add(slot, of: set) else { return }
        while origins.count <= new { origins.append(0) }
        origins[new] = UInt8(place)
        counts[place] += 1
    }
}
