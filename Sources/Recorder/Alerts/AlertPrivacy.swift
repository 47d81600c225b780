import OdographCivilTime
import OdographWire

/// The rule for alerts in private time: they contain neither a place in it, nor its begin or end.
enum AlertPrivacy {
    /// The kinds of rules about where and how a vehicle drives.
    private static let drivingKinds: Set<String> = Set(
        [RuleKind.geofence, .overspeed, .driving, .beacon, .tow].map(\.rawValue))

    /// Returns the alerts that may be told: without those of a drive in private time, and without ends that are in it
    /// or at its beginning or end.
    static func disclosed(
        _ alerts: [StoredAlert], of database: any HistoryDatabase
    ) throws(DatabaseFailure) -> [StoredAlert] {
        var spans: [Int64: [ClosedRange<Timestamp>]] = [:]
        for (key, alerts) in Dictionary(grouping: alerts, by: \.vehicle.key) {
            guard let vehicle = alerts.first?.vehicle else { continue }
            let times = alerts.flatMap { [$0.time, $0.end ?? $0.time] }.compactMap { Timestamp(iso8601: $0) }
            guard let first = times.min(), let last = times.max() else { continue }
            let events = try database.timeline(of: vehicle, in: first..<last.advanced(byMilliseconds: 1))
            spans[key] = events.filter(\.isOfPrivateUse).map { event in
                event.startDate...max(event.startDate, event.endDate ?? last)
            }
        }
        return alerts.compactMap { disclosed($0, spans[$0.vehicle.key] ?? []) }
    }

    /// Returns the part of an alert that may leave the recorder; nil for none.
    static func disclosed(_ alert: StoredAlert, _ spans: [ClosedRange<Timestamp>]) -> StoredAlert? {
        guard let time = Timestamp(iso8601: alert.time) else { return nil }
        // The first position after private time has the time of its end.
        if drivingKinds.contains(alert.kind),
            spans.contains(where: { $0.contains(time) && time < $0.upperBound })
        {
            return nil
        }
        var disclosed = alert
        if let end = alert.end.flatMap({ Timestamp(iso8601: $0) }), spans.contains(where: { $0.contains(end) }) {
            disclosed.end = nil
        }
        return disclosed
    }
}
