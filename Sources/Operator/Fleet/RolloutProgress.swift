import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

/// The progress of a document in a fleet.
public struct RolloutProgress: Hashable, Sendable {
    /// A vehicle that has not reported on the document.
    public struct Pending: Hashable, Sendable {
        /// The connection state.
        public let presence: FleetRow.Presence
        /// The time of the connection or of its end, as in ``FleetRow/since``.
        public let since: Timestamp?
        /// The known reason.
        public let reason: String
    }

    /// The vehicles where the document is in force.
    public var applied: [String] = []
    /// The vehicles that refused the document, with their errors.
    public var refused: [String: [DocumentError]] = [:]
    /// The vehicles that have not reported on the document.
    public var pending: [String: Pending] = [:]
    /// The newest document of another sender that replaced this one at the broker; nil if this one is the newest.
    public var replacement: DesiredDocument?

    /// Whether a vehicle refused the document.
    public var hasRefusals: Bool { !refused.isEmpty }

    /// The number of vehicles with the document, of all, and of refusals.
    public var summary: String {
        let done = applied.count + refused.count
        let refusals = refused.isEmpty ? "" : ", refused by \(refused.count)"
        return "in force in \(applied.count) of \(done + pending.count)\(refusals)"
    }

    /// Returns the progress as text: the vehicles with the document, the errors, and a table of the vehicles that have
    /// not reported.
    /// - Parameters:
    ///   - now: the current time, for ages.
    ///   - width: the maximum number of characters per line; nil: no limit.
    public func text(now: Timestamp, width: Int? = nil) -> String {
        let lines = (applied.isEmpty ? [] : ["in force: \(applied.joined(separator: ", "))"]) + refusalLines
        let shown = lines.flatMap { Format.wrapped($0.printable, width: width, indentation: 2) }
        return shown.map { $0 + "\n" }.joined() + pendingTable(now: now, width: width)
    }

    /// Returns one JSON object per vehicle: `device`, `state` (`in_force`, `refused`, `pending`), `errors`, and of a
    /// pending vehicle `presence`, `since` and `reason`. Unknown values are null.
    public func jsonLines() throws -> String {
        var objects: [(String, [String: JSONValue])] = applied.map { ($0, ["state": .string("in_force")]) }
        objects += refused.map { ($0, ["state": .string("refused"), "errors": .array($1.map(\.jsonValue))]) }
        objects += pending.map { name, pending in
            (
                name,
                [
                    "state": .string("pending"), "presence": .string(pending.presence.rawValue),
                    "since": .stringOrNull(pending.since?.iso8601), "reason": .string(pending.reason),
                ]
            )
        }
        return try objects.sorted { NaturalSortKey($0.0) < NaturalSortKey($1.0) }.map { name, members in
            let absent: [String: JSONValue] = [
                "device": .string(name), "errors": .array([]), "presence": .null, "since": .null, "reason": .null,
            ]
            let all = absent.merging(members) { $1 }
            return try JSONCoder.string(of: JSONValue.object(all)) + "\n"
        }.joined()
    }

    /// The errors of the vehicles that refused the document, one line for each different one.
    public var refusalLines: [String] {
        DocumentError.lines(
            refused.sorted { NaturalSortKey($0.key) < NaturalSortKey($1.key) }.lazy.map { ($0.key, $0.value) }, \.detail
        )
    }

    /// The different errors, without the vehicles: they stay the same while further vehicles refuse the document.
    public var refusalDetails: [String] {
        refused.values.flatMap { $0.map(\.detail) }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.sorted()
    }

    private func pendingTable(now: Timestamp, width: Int?) -> String {
        guard !pending.isEmpty else { return "" }
        let rows = pending.sorted { NaturalSortKey($0.key) < NaturalSortKey($1.key) }.map { name, pending in
            [name, Self.state(of: pending, now: now), pending.reason]
        }
        let table = TextTable([.init("PENDING"), .init("STATE"), .init("REASON")], rows: rows)
        let lines = table.lines(width: nil)
        guard let width, lines.contains(where: { $0.count > width }) else { return table.text(width: nil) }
        // A reason is not cut: it says what to do. It is below its vehicle.
        let short = TextTable([.init("PENDING"), .init("STATE")], rows: rows.map { Array($0.prefix(2)) })
        let heads = short.lines(width: width)
        let below = zip(heads.dropFirst(), rows).flatMap { head, row in
            [head] + Format.wrapped("  " + row[2].printable, width: width, indentation: 2)
        }
        return (heads.prefix(1) + below).map { $0 + "\n" }.joined()
    }

    private static func state(of pending: Pending, now: Timestamp) -> String {
        let age = pending.since.map { " \(Format.duration(seconds: now.seconds(since: $0)))" } ?? ""
        return pending.presence == .unknown ? "never seen" : pending.presence.rawValue + age
    }

    /// A vehicle's report on a level: the hash of its newest document, whether it is in force, and its errors.
    private struct LevelReport {
        var hash: String?
        var isApplied: Bool
        var errors: [DocumentError]

        init?(_ report: ReportedMessage?, _ kind: DocumentPlace.Kind, level: String) {
            guard let report else { return nil }
            switch kind {
            case .configuration:
                guard let reported = report.levels.first(where: { $0.level == level }) else { return nil }
                (hash, isApplied) = (reported.hash, reported.isApplied)
                errors = report.errors.map { DocumentError($0) }.filter { $0.isOf(level) }
            case .geofences:
                guard let reported = report.geofences.levels.first(where: { $0.level == level }) else { return nil }
                (hash, isApplied) = (reported.hash, reported.isApplied && reported.errorCount == 0)
                errors = report.geofences.errors.map { DocumentError($0) }.filter { $0.isOf(level) }
            }
        }
    }

    /// Sorts vehicles by their reports on a document.
    /// - Parameters:
    ///   - hash: the hash of the document; nil if the level was withdrawn.
    ///   - level: the name of the level in a report.
    init(
        _ vehicles: [(name: String, vehicle: FleetClient.Vehicle?)], hash: String?, of kind: DocumentPlace.Kind,
        level: String
    ) {
        for (name, vehicle) in vehicles {
            let reported = LevelReport(vehicle?.report, kind, level: level)
            let isOnline = vehicle?.status?.state == .online
            // An offline vehicle may have received a document after its last report.
            if vehicle?.report != nil, reported?.hash == hash, hash != nil || isOnline {
                if reported?.isApplied ?? true { applied.append(name) } else { refused[name] = reported?.errors ?? [] }
            } else {
                let hasReportedNone = vehicle?.report != nil && reported?.hash == nil
                let row = vehicle.map { FleetRow(name, $0, desired: [:]) }
                pending[name] = Pending(
                    presence: row?.presence ?? .unknown, since: row?.since,
                    reason: Self.pendingReason(vehicle, isWithdrawn: hash == nil, hasReportedNone: hasReportedNone))
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
    /// Waits until all vehicles of a level have reported on a document, another sender has replaced it, the time is
    /// over, or the task is cancelled.
    /// - Parameters:
    ///   - document: the document.
    ///   - seconds: the maximum time.
    ///   - note: is called repeatedly with the progress.
    /// - Returns: the progress, and whether all vehicles have reported.
    public func awaitRollout(
        of document: PublishedDocument, seconds: Double, note: @Sendable (RolloutProgress) -> Void
    ) async -> (RolloutProgress, isComplete: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        // The retained reports of the vehicles arrive shortly after the subscription.
        let earliest = ContinuousClock.now + .seconds(1)
        while true {
            let concerned = targets(of: document.place.level, device: document.place.device)
            var progress = RolloutProgress(
                concerned.vehicles, hash: document.reportedHash, of: document.place.kind, level: concerned.level)
            progress.replacement = document.replacement(in: documentArrivals[document.topic] ?? [])
            note(progress)
            let isOver = progress.pending.isEmpty && (document.place.device != nil || ContinuousClock.now >= earliest)
            if isOver || progress.replacement != nil || ContinuousClock.now >= end || Task.isCancelled {
                return (progress, isOver)
            }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Returns the vehicles of a level, sorted, and the name of the level in a report.
    func targets(
        of level: DownlinkLevel, device: String?
    ) -> (vehicles: [(name: String, vehicle: Vehicle?)], level: String) {
        let all = vehicles.sorted { NaturalSortKey($0.key) < NaturalSortKey($1.key) }
        switch level {
        case .device:
            let name = device ?? ""
            return ([(name, vehicles[name])], name)
        case .group(let group):
            return (all.filter { $0.value.groups.contains(group) }.map { ($0.key, $0.value) }, "group:\(group)")
        case .all:
            return (all.map { ($0.key, $0.value) }, "all")
        // Nothing is published for it.
        case .program: return ([], "")
        }
    }
}

extension FleetClient.Vehicle {
    /// The groups that the vehicle reports.
    var groups: Set<String> { Set(report?.groups ?? []) }
}
