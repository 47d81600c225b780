import CivilTime
import Wire

/// How far a document has come in a fleet.
public struct FleetProgress: Hashable, Sendable {
    /// Where it is in force.
    public var applied: [String] = []
    /// Where it was refused, and why.
    public var refused: [String: [ReportedError]] = [:]
    /// Who has not said yet, and what is known of why.
    public var silent: [String: String] = [:]

    /// Whether somebody refused it.
    public var isRefused: Bool { !refused.isEmpty }

    /// How many have said something, of how many.
    public var summary: String {
        let done = applied.count + refused.count
        let refusals = refused.isEmpty ? "" : ", \(refused.count) refused it"
        return "\(applied.count) of \(done + silent.count) have it\(refusals)"
    }

    /// Lines for a person.
    public var text: String {
        var text = applied.isEmpty ? "" : "in force: \(applied.joined(separator: ", "))\n"
        for (name, errors) in refused.sorted(by: { NaturalOrder($0.key) < NaturalOrder($1.key) }) {
            for error in errors {
                text += "\(name) refused it: \(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)\n"
            }
        }
        for (name, reason) in silent.sorted(by: { NaturalOrder($0.key) < NaturalOrder($1.key) }) {
            text += "not yet: \(name), \(reason)\n"
        }
        return text
    }

    /// Sorts vehicles by what they report of a document.
    /// - Parameters:
    ///   - hash: the document's; nil where the level was withdrawn.
    ///   - level: the level's name in a report.
    ///   - now: to say how long somebody has been away.
    init(_ vehicles: [(name: String, vehicle: FleetDesk.Vehicle?)], hash: String?, level: String, now: Timestamp) {
        for (name, vehicle) in vehicles {
            let reported = vehicle?.report?.levels.first { $0.level == level }
            let isOnline = vehicle?.status?.state == .online
            // A vehicle that is away reports of a time before, when a withdrawn level may just not have been there yet.
            if vehicle?.report != nil, reported?.hash == hash, hash != nil || isOnline || reported == nil {
                if reported?.isApplied ?? true {
                    applied.append(name)
                } else {
                    refused[name] = vehicle?.report?.errors.filter { $0.topic.contains("/\(level)/") } ?? []
                }
            } else {
                silent[name] = Self.reason(vehicle, isWithdrawn: hash == nil, now: now)
            }
        }
    }

    private static func reason(_ vehicle: FleetDesk.Vehicle?, isWithdrawn: Bool, now: Timestamp) -> String {
        guard let vehicle else { return "which has never been heard of at this broker; is that its name?" }
        guard vehicle.status?.state != .online else { return "which is online but has not reported" }
        guard isWithdrawn else { return "which is offline; it is told when it connects" }
        return "which is offline and will not hear of it: brokers do not keep an empty message. Publish a file with {} "
            + "in place of it, or withdraw it again when the vehicle is online"
    }
}

extension FleetDesk {
    /// Waits until all vehicles concerned have reported on a document, or the task is cancelled.
    /// - Parameters:
    ///   - hash: the document's; nil where the level was withdrawn.
    ///   - level: whom it was for.
    ///   - device: the vehicle, where it was for one.
    ///   - seconds: how long they are waited for.
    ///   - note: is told how far it has come, again and again.
    /// - Returns: the outcome, and whether nobody is missing.
    public func progress(
        of hash: String?, level: DownlinkLevel, device: String?, seconds: Double,
        note: @Sendable (FleetProgress) -> Void
    ) async -> (FleetProgress, isComplete: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        // The vehicles' retained reports come within moments of the subscription.
        let earliest = ContinuousClock.now + .seconds(1)
        while true {
            let progress = progress(of: hash, level: level, device: device)
            note(progress)
            let isOver = progress.silent.isEmpty && (device != nil || ContinuousClock.now >= earliest)
            if isOver || ContinuousClock.now >= end || Task.isCancelled { return (progress, isOver) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private func progress(of hash: String?, level: DownlinkLevel, device: String?) -> FleetProgress {
        let now = now
        switch level {
        case .device:
            let name = device ?? ""
            return FleetProgress([(name, vehicles[name])], hash: hash, level: name, now: now)
        case .group(let group):
            let members = vehicles.filter { $0.value.belongs(to: group) }.sorted {
                NaturalOrder($0.key) < NaturalOrder($1.key)
            }
            return FleetProgress(members.map { ($0.key, $0.value) }, hash: hash, level: "group:\(group)", now: now)
        case .all:
            let all = vehicles.sorted { NaturalOrder($0.key) < NaturalOrder($1.key) }
            return FleetProgress(all.map { ($0.key, $0.value) }, hash: hash, level: "all", now: now)
        }
    }
}

extension FleetDesk.Vehicle {
    /// Whether the vehicle reports that it belongs to a group, or that it knows of its document.
    fileprivate func belongs(to group: String) -> Bool {
        report?.groups?.contains(group) ?? false || report?.levels.contains { $0.level == "group:\(group)" } ?? false
    }
}
