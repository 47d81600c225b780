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

    /// What a document is about.
    public enum Subject: Sendable {
        /// Configuration.
        case configuration
        /// A whole set of geofences.
        case geofences
    }

    /// What a vehicle says of a level: the newest document's hash, whether it is in force, and what is wrong with it.
    private struct Word {
        var hash: String?
        var isApplied: Bool
        var errors: [ReportedError]

        init?(_ report: ReportedMessage?, _ subject: Subject, level: String) {
            guard let report else { return nil }
            let isOf = { (topic: String) in topic.contains("/\(level)/") }
            switch subject {
            case .configuration:
                guard let reported = report.levels.first(where: { $0.level == level }) else { return nil }
                (hash, isApplied) = (reported.hash, reported.isApplied)
                errors = report.errors.filter { isOf($0.topic) }
            case .geofences:
                guard let reported = report.geofences.levels.first(where: { $0.level == level }) else { return nil }
                (hash, isApplied) = (reported.hash, reported.isApplied && reported.errorCount == 0)
                errors = report.geofences.errors.filter { isOf($0.topic) }.map {
                    ReportedError(
                        topic: $0.topic, path: [$0.identifier, $0.path].compactMap { $0 }.joined(separator: " "),
                        value: $0.value, message: $0.message)
                }
            }
        }
    }

    /// Sorts vehicles by what they report of a document.
    /// - Parameters:
    ///   - hash: the document's; nil where the level was withdrawn.
    ///   - level: the level's name in a report.
    ///   - mayBeStrangers: whether a vehicle that reports nothing of the level may have nothing to do with it.
    init(
        _ vehicles: [(name: String, vehicle: FleetDesk.Vehicle?)], hash: String?, of subject: Subject = .configuration,
        level: String, mayBeStrangers: Bool
    ) {
        for (name, vehicle) in vehicles {
            let reported = Word(vehicle?.report, subject, level: level)
            if vehicle?.report != nil, reported?.hash == hash {
                if reported?.isApplied ?? true { applied.append(name) } else { refused[name] = reported?.errors ?? [] }
            } else if !(mayBeStrangers && reported == nil) {
                silent.append(name)
            }
        }
    }
}

extension FleetDesk {
    /// Waits until all vehicles concerned have reported on a document.
    /// - Parameters:
    ///   - names: the vehicles; nil: all that are known of.
    ///   - note: is told how far it has come, a line each time.
    /// - Returns: the outcome, and whether nobody is missing.
    public func progress(
        of hash: String?, subject: FleetProgress.Subject = .configuration, level: String, vehicles names: [String]?,
        mayBeStrangers: Bool, seconds: Double,
        note: @Sendable (String) -> Void
    ) async -> (FleetProgress, isComplete: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        // The vehicles' retained reports come within moments of the subscription.
        let earliest = ContinuousClock.now + .seconds(1)
        while true {
            let known = (names ?? vehicles.keys.sorted()).map { ($0, vehicles[$0]) }
            let progress = FleetProgress(
                known, hash: hash, of: subject, level: level, mayBeStrangers: mayBeStrangers)
            let done = progress.applied.count + progress.refused.count
            note("\(done) of \(done + progress.silent.count) have it, \(progress.refused.count) refuse it")
            let isOver = progress.silent.isEmpty && (names != nil || ContinuousClock.now >= earliest)
            if isOver || ContinuousClock.now >= end { return (progress, isOver) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }
}
