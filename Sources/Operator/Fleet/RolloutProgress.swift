import Odograph
import CivilTime
import Wire

/// How far a document has come in a fleet.
public struct RolloutProgress: Hashable, Sendable {
    /// Where it is in force.
    public var applied: [String] = []
    /// Where it was refused, and why.
    public var refused: [String: [ReportedConfigurationError]] = [:]
    /// Who has not said yet, and what is known of why.
    public var pending: [String: String] = [:]

    /// Whether somebody refused it.
    public var hasRefusals: Bool { !refused.isEmpty }

    /// How many have said something, of how many.
    public var summary: String {
        let done = applied.count + refused.count
        let refusals = refused.isEmpty ? "" : ", \(refused.count) refused it"
        return "\(applied.count) of \(done + pending.count) have it\(refusals)"
    }

    /// Lines for a person.
    public var text: String {
        var lines = applied.isEmpty ? [] : ["in force: \(applied.joined(separator: ", "))"]
        for (name, errors) in refused.sorted(by: { NaturalSortKey($0.key) < NaturalSortKey($1.key) }) {
            for error in errors {
                lines.append("\(name) refused it: \(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
            }
        }
        for (name, reason) in pending.sorted(by: { NaturalSortKey($0.key) < NaturalSortKey($1.key) }) {
            lines.append("not yet: \(name), \(reason)")
        }
        return lines.map { $0.printable + "\n" }.joined()
    }

    /// What a document is about.
    public enum DocumentKind: Sendable {
        /// Configuration.
        case configuration
        /// A whole set of geofences.
        case geofences
    }

    /// What a vehicle says of a level: the newest document's hash, whether it is in force, and what is wrong with it.
    private struct LevelReport {
        var hash: String?
        var isApplied: Bool
        var errors: [ReportedConfigurationError]

        init?(_ report: ReportedMessage?, _ subject: DocumentKind, level: String) {
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
                    ReportedConfigurationError(
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
    ///   - now: to say how long somebody has been away.
    init(
        _ vehicles: [(name: String, vehicle: FleetClient.Vehicle?)], hash: String?, of subject: DocumentKind,
        level: String,
        now: Timestamp
    ) {
        for (name, vehicle) in vehicles {
            let reported = LevelReport(vehicle?.report, subject, level: level)
            let isOnline = vehicle?.status?.state == .online
            // A vehicle that is away reports of a time before, when a withdrawn level may just not have been there yet.
            if vehicle?.report != nil, reported?.hash == hash, hash != nil || isOnline || reported == nil {
                if reported?.isApplied ?? true { applied.append(name) } else { refused[name] = reported?.errors ?? [] }
            } else {
                pending[name] = Self.pendingReason(vehicle, isWithdrawn: hash == nil, now: now)
            }
        }
    }

    private static func pendingReason(_ vehicle: FleetClient.Vehicle?, isWithdrawn: Bool, now: Timestamp) -> String {
        guard let vehicle else { return "which has never been heard of at this broker; is that its name?" }
        guard vehicle.status?.state != .online else { return "which is online but has not reported" }
        guard isWithdrawn else { return "which is offline; it is told when it connects" }
        return "which is offline and will not hear of it: brokers do not keep an empty message. Publish a file with {} "
            + "in place of it, or withdraw it again when the vehicle is online"
    }
}

extension FleetClient {
    /// Waits until all vehicles concerned have reported on a document, or the task is cancelled.
    /// - Parameters:
    ///   - hash: the document's; nil where the level was withdrawn.
    ///   - subject: what the document is about.
    ///   - level: whom it was for.
    ///   - device: the vehicle, where it was for one.
    ///   - seconds: how long they are waited for.
    ///   - note: is told how far it has come, again and again.
    /// - Returns: the outcome, and whether nobody is missing.
    public func awaitRollout(
        of hash: String?, subject: RolloutProgress.DocumentKind, level: DownlinkLevel, device: String?, seconds: Double,
        note: @Sendable (RolloutProgress) -> Void
    ) async -> (RolloutProgress, isComplete: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        // The vehicles' retained reports come within moments of the subscription.
        let earliest = ContinuousClock.now + .seconds(1)
        while true {
            let concerned = targets(of: level, device: device)
            let progress = RolloutProgress(
                concerned.vehicles, hash: hash, of: subject, level: concerned.level, now: .now)
            note(progress)
            let isOver = progress.pending.isEmpty && (device != nil || ContinuousClock.now >= earliest)
            if isOver || ContinuousClock.now >= end || Task.isCancelled { return (progress, isOver) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// The vehicles that a level is for, in order, and what the level is called in a report.
    private func targets(
        of level: DownlinkLevel, device: String?
    ) -> (vehicles: [(name: String, vehicle: Vehicle?)], level: String) {
        let all = vehicles.sorted { NaturalSortKey($0.key) < NaturalSortKey($1.key) }
        switch level {
        case .device:
            let name = device ?? ""
            return ([(name, vehicles[name])], name)
        case .group(let group):
            return (all.filter { $0.value.belongs(to: group) }.map { ($0.key, $0.value) }, "group:\(group)")
        case .all:
            return (all.map { ($0.key, $0.value) }, "all")
        }
    }
}

extension FleetClient.Vehicle {
    /// Whether the vehicle reports that it belongs to a group, or that it knows of its document.
    fileprivate func belongs(to group: String) -> Bool {
        report?.groups?.contains(group) ?? false || report?.levels.contains { $0.level == "group:\(group)" } ?? false
    }
}
