import Odograph
import OdographCivilTime
import OdographWire

/// The progress of a document in a fleet.
public struct RolloutProgress: Hashable, Sendable {
    /// The vehicles where the document is in force.
    public var applied: [String] = []
    /// The vehicles that refused the document, with their errors.
    public var refused: [String: [ReportedConfigurationError]] = [:]
    /// The vehicles that have not reported on the document, with the known reason.
    public var pending: [String: String] = [:]

    /// Whether a vehicle refused the document.
    public var hasRefusals: Bool { !refused.isEmpty }

    /// The number of vehicles with the document, of all, and of refusals.
    public var summary: String {
        let done = applied.count + refused.count
        let refusals = refused.isEmpty ? "" : ", refused by \(refused.count)"
        return "in force in \(applied.count) of \(done + pending.count)\(refusals)"
    }

    /// The progress as text, one line per item.
    public var text: String {
        var lines = applied.isEmpty ? [] : ["in force: \(applied.joined(separator: ", "))"]
        for (name, errors) in refused.sorted(by: { NaturalSortKey($0.key) < NaturalSortKey($1.key) }) {
            for error in errors {
                lines.append("refused by \(name): \(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
            }
        }
        for (name, reason) in pending.sorted(by: { NaturalSortKey($0.key) < NaturalSortKey($1.key) }) {
            lines.append("pending: \(name): \(reason)")
        }
        return lines.map { $0.printable + "\n" }.joined()
    }

    /// The kind of a document.
    public enum DocumentKind: Sendable {
        /// A configuration.
        case configuration
        /// A complete set of geofences.
        case geofences
    }

    /// A vehicle's report on a level: the hash of its newest document, whether it is in force, and its errors.
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

    /// Sorts vehicles by their reports on a document.
    /// - Parameters:
    ///   - hash: the hash of the document; nil if the level was withdrawn.
    ///   - level: the name of the level in a report.
    init(
        _ vehicles: [(name: String, vehicle: FleetClient.Vehicle?)], hash: String?, of subject: DocumentKind,
        level: String
    ) {
        for (name, vehicle) in vehicles {
            let reported = LevelReport(vehicle?.report, subject, level: level)
            let isOnline = vehicle?.status?.state == .online
            // An offline vehicle may have received a document after its last report.
            if vehicle?.report != nil, reported?.hash == hash, hash != nil || isOnline {
                if reported?.isApplied ?? true { applied.append(name) } else { refused[name] = reported?.errors ?? [] }
            } else {
                let hasReportedNone = vehicle?.report != nil && reported?.hash == nil
                pending[name] = Self.pendingReason(vehicle, isWithdrawn: hash == nil, hasReportedNone: hasReportedNone)
            }
        }
    }

    private static func pendingReason(
        _ vehicle: FleetClient.Vehicle?, isWithdrawn: Bool, hasReportedNone: Bool
    ) -> String {
        guard let vehicle else { return "unknown at this broker; check the name" }
        guard vehicle.status?.state != .online else { return "online, but has not reported" }
        guard isWithdrawn else { return "offline; it receives the change when it connects" }
        guard !hasReportedNone else { return "offline; its last report has no such document" }
        return "offline; it will not receive the removal, because a broker does not retain an empty message. Publish a "
            + "file with {} instead, or remove the document again when the vehicle is online"
    }
}

extension FleetClient {
    /// Waits until all vehicles of a level have reported on a document, the time is over, or the task is cancelled.
    /// - Parameters:
    ///   - hash: the hash of the document; nil if the level was withdrawn.
    ///   - subject: the kind of the document.
    ///   - level: the level of the document.
    ///   - device: the vehicle, if the document is for one.
    ///   - seconds: the maximum time.
    ///   - note: is called repeatedly with the progress.
    /// - Returns: the progress, and whether all vehicles have reported.
    public func awaitRollout(
        of hash: String?, subject: RolloutProgress.DocumentKind, level: DownlinkLevel, device: String?, seconds: Double,
        note: @Sendable (RolloutProgress) -> Void
    ) async -> (RolloutProgress, isComplete: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        // The retained reports of the vehicles arrive shortly after the subscription.
        let earliest = ContinuousClock.now + .seconds(1)
        while true {
            let concerned = targets(of: level, device: device)
            let progress = RolloutProgress(
                concerned.vehicles, hash: hash, of: subject, level: concerned.level)
            note(progress)
            let isOver = progress.pending.isEmpty && (device != nil || ContinuousClock.now >= earliest)
            if isOver || ContinuousClock.now >= end || Task.isCancelled { return (progress, isOver) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Returns the vehicles of a level, sorted, and the name of the level in a report.
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
        // Nothing is published for it.
        case .program: return ([], "")
        }
    }
}

extension FleetClient.Vehicle {
    /// Whether the vehicle reports that it belongs to a group, or reports a document of the group.
    fileprivate func belongs(to group: String) -> Bool {
        report?.groups?.contains(group) ?? false || report?.levels.contains { $0.level == "group:\(group)" } ?? false
    }
}
