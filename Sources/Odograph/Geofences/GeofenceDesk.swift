import Geodesy
import Tracking
import Wire

/// What is known of the geofences, and what becomes of the messages about them: decided here, done by ``RemoteGeofences``.
struct GeofenceDesk: Sendable {
    /// More single fences of a level are not taken: each change of one writes all of them to the disk. A whole set has no such
    /// bound.
    static let mostSingles = 10_000

    private let address: DeviceAddress
    /// The levels that the device listens to, the weakest first.
    let order: [DownlinkLevel]
    private(set) var levels: GeofenceLevels
    private(set) var facts: [DownlinkLevel: GeofenceFacts] = [:]
    /// Layers that are other than their files.
    private(set) var changed: Set<GeofenceLayer> = []

    init(address: DeviceAddress, groups: [String]) {
        self.address = address
        order = DeviceAddress.levels(groups: groups)
        levels = GeofenceLevels(order: order)
    }

    // MARK: In

    /// Goes on with what the last run left. Levels that the device no longer listens to are left out.
    mutating func restore(
        _ generation: GeofenceArchive.Generation, _ archive: GeofenceArchive
    ) throws(GeofenceArchive.Fault) {
        for layer in generation.layers {
            guard let level = order.first(where: { $0.savedName == layer.level }) else { continue }
            levels.replace(GeofenceLayer(level: level, isSingle: layer.isSingle), with: try archive.set(of: layer))
        }
        for level in order {
            let name = level.savedName
            if let fact = generation.facts.first(where: { $0.level == name }) { facts[level] = fact }
        }
    }

    /// The hash of the newest whole set of a level; nil where there is none.
    func hash(of level: DownlinkLevel) -> String? { facts[level]?.hash }

    /// What a whole set of a level has come to.
    /// - Returns: whether it says anything new.
    mutating func take(_ message: GeofenceMessage, hash: String, ofAll level: DownlinkLevel) -> Bool {
        let layer = GeofenceLayer(level: level, isSingle: false)
        var fact = facts[level] ?? GeofenceFacts(level: level.savedName)
        switch message {
        case .withdrawn:
            guard fact.hash != nil || levels.count(of: layer) > 0 else { return false }
            fact.withdraw()
            replace(layer, with: GeofenceSet())
        case .set(let set, let problems):
            fact.apply(hash, problems)
            replace(layer, with: set)
        case .unreadable(let error):
            fact.refuse(hash, ReportedGeofenceError(error, topic: address.topic(level, .geofences)))
        case .fence, .refused: return false
        }
        facts[level] = fact.isEmpty ? nil : fact
        return true
    }

    private mutating func replace(_ layer: GeofenceLayer, with set: GeofenceSet) {
        levels.replace(layer, with: set)
        changed.insert(layer)
    }

    /// What one fence of a level has come to.
    /// - Returns: whether it says anything new.
    mutating func take(_ message: GeofenceMessage, single identifier: String, of level: DownlinkLevel) -> Bool {
        let layer = GeofenceLayer(level: level, isSingle: true)
        var fact = facts[level] ?? GeofenceFacts(level: level.savedName)
        let old = (errors: fact.singleErrors[identifier], fingerprint: levels.fingerprint(identifier, in: layer))
        let topic = address.geofenceTopic(level, identifier)
        fact.singleErrors[identifier] = nil
        switch message {
        case .withdrawn: levels.remove(identifier, from: layer)
        case .fence(let fence):
            if old.fingerprint != 0 || levels.count(of: layer) < Self.mostSingles {
                levels.put(fence, in: layer)
            } else {
                let message = "more than \(Self.mostSingles) single fences of a level: publish a whole set"
                fact.singleErrors[identifier] = [
                    ReportedGeofenceError(
                        topic: topic, identifier: identifier, path: "", line: 1, value: nil, message: message)
                ]
            }
        case .refused(let problems): fact.singleErrors[identifier] = problems.errors
        case .unreadable(let error): fact.singleErrors[identifier] = [ReportedGeofenceError(error, topic: topic)]
        case .set: return false
        }
        if fact.singleErrors.count > GeofenceFacts.mostErrors { fact.singleErrors[identifier] = old.errors }
        facts[level] = fact.isEmpty ? nil : fact
        let isNew = levels.fingerprint(identifier, in: layer) != old.fingerprint
        if isNew { changed.insert(layer) }
        return isNew || fact.singleErrors[identifier] != old.errors
    }

    /// All layers are as their files are.
    mutating func saved() {
        changed = []
    }

    // MARK: Out

    /// What is in force.
    var inForce: GeofenceSet { levels.inForce }

    /// What is to be reported.
    var report: ReportedGeofences {
        let levels = order.compactMap { level -> ReportedGeofenceLevel? in
            let count = self.levels.count(of: GeofenceLayer(level: level, isSingle: false))
            let singles = self.levels.count(of: GeofenceLayer(level: level, isSingle: true))
            guard facts[level] != nil || count + singles > 0 else { return nil }
            let fact = facts[level] ?? GeofenceFacts(level: "")
            return ReportedGeofenceLevel(
                level: address.name(of: level), hash: fact.hash, isApplied: fact.isApplied,
                hashInForce: fact.hashInForce, count: count, errorCount: fact.errorCount, singleCount: singles)
        }
        let known = order.compactMap { facts[$0] }
        var errors = known.flatMap { fact in
            fact.errors + fact.singleErrors.sorted { $0.key < $1.key }.flatMap(\.value)
        }
        let total = known.reduce(0) { $0 + $1.errorCount + $1.singleErrors.values.reduce(0) { $0 + $1.count } }
        errors = Array(errors.prefix(2 * GeofenceFacts.mostErrors))
        if total > errors.count {
            errors.append(
                ReportedGeofenceError(
                    topic: "", identifier: nil, path: "", line: 0, value: nil,
                    message: "and \(total - errors.count) mistakes more"))
        }
        return ReportedGeofences(
            count: inForce.count, hash: Self.hash(of: inForce), levels: levels, errors: errors)
    }

    /// The content of a set in a few letters; empty for no fence.
    static func hash(of set: GeofenceSet) -> String {
        set.count > 0 ? set.identity.hexadecimal : ""
    }
}
