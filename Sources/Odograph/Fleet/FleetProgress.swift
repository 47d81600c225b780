import Wire

/// How far a document has come in a fleet.
public struct FleetProgress: Hashable, Sendable {
    /// Where it is in force.
    public var applied: [String] = []
    /// Where it was refused, and why.
    public var refused: [String: [ReportedError]] = [:]
    /// Who has not said yet.
    public var silent: [String] = []

    /// Whether somebody refused it.
    public var isRefused: Bool { !refused.isEmpty }

    /// Lines for a person.
    public var text: String {
        var text = applied.isEmpty ? "" : "in force: \(applied.joined(separator: ", "))\n"
        for (name, errors) in refused.sorted(by: { $0.key < $1.key }) {
            for error in errors { text += "\(name) refused it: \(error.path): \(error.message)\n" }
        }
        return text + (silent.isEmpty ? "" : "not yet: \(silent.joined(separator: ", "))\n")
    }

    /// Sorts vehicles by what they report of a document.
    /// - Parameters:
    ///   - hash: the document's; nil where the level was withdrawn.
    ///   - level: the level's name in a report.
    ///   - mayBeStrangers: whether a vehicle that reports nothing of the level may have nothing to do with it.
    init(
        _ vehicles: [(name: String, vehicle: FleetDesk.Vehicle?)], hash: String?, level: String, mayBeStrangers: Bool
    ) {
        for (name, vehicle) in vehicles {
            let reported = vehicle?.report?.levels.first { $0.level == level }
            if vehicle?.report != nil, reported?.hash == hash {
                if reported?.isApplied ?? true {
                    applied.append(name)
                } else {
                    refused[name] = vehicle?.report?.errors.filter { $0.topic.contains("/\(level)/") } ?? []
                }
            } else if !(mayBeStrangers && reported == nil) {
                silent.append(name)
            }
        }
    }
}

extension FleetDesk {
    /// Waits until all vehicles concerned have reported on a document.
    /// - Parameters:
    ///   - hash: the document's SHA-256; nil: that the level was withdrawn.
    ///   - level: `all`, `group:<name>`, or the vehicle's name.
    ///   - names: the vehicles; nil: all that are known of.
    ///   - mayBeStrangers: whether a vehicle that says nothing of the level may not belong to it.
    ///   - seconds: how long they are waited for.
    ///   - note: is told how far it has come, a line each time.
    /// - Returns: the outcome, and whether nobody is missing.
    public func progress(
        of hash: String?, level: String, vehicles names: [String]?, mayBeStrangers: Bool, seconds: Double,
        note: @Sendable (String) -> Void
    ) async -> (FleetProgress, isComplete: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        // The vehicles' retained reports come within moments of the subscription.
        let earliest = ContinuousClock.now + .seconds(1)
        while true {
            let known = (names ?? vehicles.keys.sorted()).map { ($0, vehicles[$0]) }
            let progress = FleetProgress(known, hash: hash, level: level, mayBeStrangers: mayBeStrangers)
            let done = progress.applied.count + progress.refused.count
            note("\(done) of \(done + progress.silent.count) have it, \(progress.refused.count) refuse it")
            let isOver = progress.silent.isEmpty && (names != nil || ContinuousClock.now >= earliest)
            if isOver || ContinuousClock.now >= end { return (progress, isOver) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }
}
