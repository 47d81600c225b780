import OdographGeodesy
import OdographJSON
import OdographTracking
import OdographWire

/// The known geofences, and the decisions about geofence messages. ``RemoteGeofences`` executes them.
package struct GeofenceCatalog: Sendable {
    /// The maximum number of single fences of a level. Each change of one writes all of them to the disk. A whole set
    /// has no such limit.
    package static let maximumSingleFences = 10_000

    private let address: DeviceAddress
    /// The levels that apply to the device, the weakest first.
    package private(set) var order: [DownlinkLevel]
    package private(set) var levels: GeofenceLevels
    package private(set) var levelStatuses: [DownlinkLevel: GeofenceLevelStatus] = [:]
    /// The layers that differ from their files.
    package private(set) var unsavedLayers: Set<GeofenceLayer> = []
    /// The levels whose newest whole set had errors in an earlier run, and has not been read in this one.
    private var restoredWithErrors: Set<DownlinkLevel> = []

    package init(address: DeviceAddress, groups: [String]) {
        self.address = address
        order = DeviceAddress.allLevels(groups: groups)
        levels = GeofenceLevels(order: order)
    }

    // MARK: In

    /// Replaces the groups of the device. The geofences of a left group are removed.
    /// - Returns: Whether this changed anything.
    package mutating func change(groups: [String]) -> Bool {
        let new = DeviceAddress.allLevels(groups: groups)
        guard new != order else { return false }
        order = new
        levels.change(order: new)
        levelStatuses = levelStatuses.filter { new.contains($0.key) }
        unsavedLayers = unsavedLayers.filter { new.contains($0.level) }
        return true
    }

    /// Restores the geofences of the last run, except levels that the device no longer subscribes to.
    package mutating func restore(
        _ generation: GeofenceArchive.Generation, _ archive: GeofenceArchive
    ) throws(FileFault) {
        for layer in generation.layers {
            guard let level = order.first(where: { $0.storageName == layer.level }) else { continue }
            levels.replace(GeofenceLayer(level: level, isSingle: layer.isSingle), with: try archive.set(of: layer))
        }
        for level in order {
            let name = level.storageName
            guard let fact = generation.facts.first(where: { $0.level == name }) else { continue }
            levelStatuses[level] = fact
            if fact.errorCount > 0 { restoredWithErrors.insert(level) }
        }
    }

    /// Returns whether a whole set is the newest one of a level, and need not be read again. One with errors of an
    /// earlier run is read once more: another version of the agent may accept it.
    package func isKnown(_ hash: String, of level: DownlinkLevel) -> Bool {
        levelStatuses[level]?.hash == hash && !restoredWithErrors.contains(level)
    }

    /// Applies a message about the whole set of a level.
    /// - Returns: Whether it changed anything.
    package mutating func apply(_ message: GeofenceMessage, hash: String, toSetOf level: DownlinkLevel) -> Bool {
        // The device has left the level while the message was on its way.
        guard order.contains(level) else { return false }
        restoredWithErrors.remove(level)
        let layer = GeofenceLayer(level: level, isSingle: false)
        var fact = levelStatuses[level] ?? GeofenceLevelStatus(level: level.storageName)
        switch message {
        case .withdrawn:
            guard fact.hash != nil || levels.count(of: layer) > 0 else { return false }
            fact.withdraw()
            replace(layer, with: GeofenceSet())
        case .set(let set, let problems):
            fact.apply(hash, problems)
            replace(layer, with: set)
        case .unreadable(let error):
            let old = fact
            fact.refuse(hash, ReportedGeofenceError(error, topic: address.topic(level, .geofences)))
            // Sets that are too large have no hash.
            if fact == old { return false }
        case .fence, .refused: return false
        }
        levelStatuses[level] = fact.isEmpty ? nil : fact
        return true
    }

    private mutating func replace(_ layer: GeofenceLayer, with set: GeofenceSet) {
        levels.replace(layer, with: set)
        unsavedLayers.insert(layer)
    }

    /// Applies a message about one fence of a level.
    /// - Returns: Whether it changed anything.
    package mutating func apply(_ message: GeofenceMessage, toFence identifier: String, of level: DownlinkLevel) -> Bool
    {
        guard order.contains(level) else { return false }
        let layer = GeofenceLayer(level: level, isSingle: true)
        var fact = levelStatuses[level] ?? GeofenceLevelStatus(level: level.storageName)
        let old = (errors: fact.singleErrors[identifier], fingerprint: levels.fingerprint(identifier, in: layer))
        let topic = address.geofenceTopic(level, identifier)
        fact.singleErrors[identifier] = nil
        switch message {
        case .withdrawn: levels.remove(identifier, from: layer)
        case .fence(let fence):
            if old.fingerprint != 0 || levels.count(of: layer) < Self.maximumSingleFences {
                levels.insert(fence, in: layer)
            } else {
                let message = "more than \(Self.maximumSingleFences) single geofences on one level; publish a set"
                fact.singleErrors[identifier] = [
                    ReportedGeofenceError(
                        topic: topic, identifier: identifier, path: "", line: 1, value: nil, message: message)
                ]
            }
        case .refused(let problems): fact.singleErrors[identifier] = problems.errors
        case .unreadable(let error): fact.singleErrors[identifier] = [ReportedGeofenceError(error, topic: topic)]
        case .set: return false
        }
        // Of further ones only the number is reported.
        if fact.singleErrors.count > GeofenceLevelStatus.maximumErrors, fact.singleErrors[identifier] != nil {
            fact.singleErrors[identifier] =
                fact.singleErrors.count > Self.maximumSingleFences ? old.errors : old.errors ?? []
        }
        levelStatuses[level] = fact.isEmpty ? nil : fact
        let isNew = levels.fingerprint(identifier, in: layer) != old.fingerprint
        if isNew { unsavedLayers.insert(layer) }
        return isNew || fact.singleErrors[identifier] != old.errors
    }

    /// Returns whether a level has a single fence.
    package func hasFence(_ identifier: String, of level: DownlinkLevel) -> Bool {
        levels.fingerprint(identifier, in: GeofenceLayer(level: level, isSingle: true)) != 0
    }

    /// Notes that all layers are equal to their files.
    package mutating func markSaved() {
        unsavedLayers = []
    }

    // MARK: Out

    package var activeSet: GeofenceSet { levels.activeSet }

    package var report: ReportedGeofences {
        let levels = order.compactMap { level -> ReportedGeofenceLevel? in
            let count = self.levels.count(of: GeofenceLayer(level: level, isSingle: false))
            let singles = self.levels.count(of: GeofenceLayer(level: level, isSingle: true))
            guard levelStatuses[level] != nil || count + singles > 0 else { return nil }
            let fact = levelStatuses[level] ?? GeofenceLevelStatus(level: "")
            return ReportedGeofenceLevel(
                level: address.topicComponent(for: level), hash: fact.hash, isApplied: fact.isApplied,
                hashInForce: fact.hashInForce, count: count, errorCount: fact.errorCount, singleCount: singles)
        }
        let known = order.compactMap { levelStatuses[$0] }
        var errors = known.flatMap { fact in
            fact.errors + fact.singleErrors.sorted { $0.key < $1.key }.flatMap(\.value)
        }
        let total = known.reduce(0) { $0 + $1.errorCount + $1.singleErrors.values.reduce(0) { $0 + max($1.count, 1) } }
        errors = Array(errors.prefix(2 * GeofenceLevelStatus.maximumErrors))
        if total > errors.count {
            errors.append(
                ReportedGeofenceError(
                    topic: "", identifier: nil, path: "", line: 0, value: nil,
                    message: "and \(total - errors.count) more errors"))
        }
        return ReportedGeofences(
            count: activeSet.count, hash: Self.hash(of: activeSet), levels: levels, errors: errors)
    }

    /// Returns a short hash of a set's content. Empty if the set is empty.
    package static func hash(of set: GeofenceSet) -> String {
        set.count > 0 ? set.identity.hexadecimal : ""
    }
}
