import OdographCivilTime
import OdographWire

/// The values of a configuration, and the geofences, that a vehicle has refused.
struct RefusedConfiguration: Hashable, Sendable {
    /// The time of the report.
    let time: Timestamp
    /// The number of refused values.
    let count: Int
    /// The first of them, see ``RuleNotification/maximumParts``.
    let values: [RuleNotification.RefusedValue]

    /// Reads what a report says; nil if the vehicle has refused nothing.
    init?(_ report: ReportedMessage) {
        let values =
            report.errors.map { RuleNotification.RefusedValue(topic: $0.topic, path: $0.path) }
            + report.geofences.errors.map { RuleNotification.RefusedValue(topic: $0.topic, path: $0.path) }
        guard !values.isEmpty else { return nil }
        (time, count) = (report.timestamp, values.count)
        self.values = Array(values.prefix(RuleNotification.maximumParts))
    }
}
