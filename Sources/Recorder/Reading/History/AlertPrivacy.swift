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
        _ alerts: [StoredAlert], of database: HistoryDatabase
    ) throws(DatabaseFailure) -> [StoredAlert] {
        var spans: [Int64: [ClosedRange<Timestamp>]] = [:]
        for (key, alerts) in Dictionary(grouping: alerts, by: \.vehicle.key) {
            guard let vehicle = alerts.first?.vehicle else { continue }
            let times = alerts.flatMap { [$0.time, $0.end ?? $0.time] }.compactMap { Timestamp(iso8601: $0) }
            guard let first = times.min(), let last = times.max() else { continue }
            // Also of an event that ends exactly at the first time.
            let end = last.advanced(byMilliseconds: 1)
            let events = try database.timeline(of: vehicle, in: first.advanced(byMilliseconds: -1)..<end)
            spans[key] = self.spans(of: events, until: end)
        }
        return alerts.compactMap { disclosed($0, spans[$0.vehicle.key] ?? []) }
    }

    /// Returns the times of private use. An event that lasts, or whose end was lost, ends as the next one begins.
    /// - Parameters:
    ///   - events: The events, ordered by start.
    ///   - end: An instant after all alerts.
    private static func spans(of events: [TimelineEventRevision], until end: Timestamp) -> [ClosedRange<Timestamp>] {
        events.indices.filter { events[$0].isOfPrivateUse }.map { index in
            let start = events[index].startDate
            let next = events[(index + 1)...].first { $0.startDate > start }?.startDate
            return start...max(start, events[index].endDate ?? next ?? end)
        }
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
