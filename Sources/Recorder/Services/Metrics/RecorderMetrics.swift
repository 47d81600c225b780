import OdographCivilTime
import OdographWire

/// The metrics of a recorder as text.
struct RecorderMetrics {
    /// The number of vehicles with a lag of their own. A sample for each vehicle would be too many for a fleet.
    static let worstVehicles = 10

    /// The counters of the recorder.
    let counters: RecorderCounters.Values
    /// The contents of the database in numbers; nil if it cannot be read, or another recorder writes it.
    let status: RecorderStatus?
    /// When the metrics are written.
    let date: Timestamp

    /// The text in the format OpenMetrics.
    var text: String {
        var text = OpenMetricsText()
        addRecorder(to: &text)
        addLag(to: &text)
        if let status { addDatabase(status, to: &text) }
        return text.text
    }

    private static let prefix = "odograph_recorder_"

    private func addRecorder(to text: inout OpenMetricsText) {
        let prefix = Self.prefix
        text.gauge(
            prefix + "active", "1: this recorder writes the database. 0: it waits for another one, or has stopped.",
            [([], counters.isActive ? 1 : 0)])
        text.gauge(
            prefix + "connected", "1: there is a connection to the broker.", [([], counters.isConnected ? 1 : 0)])
        text.gauge(
            prefix + "written_seconds", "When these metrics were written, seconds since 1970.",
            [([], Double(date.millisecondsSinceEpoch) / 1000)])
        text.counter(
            prefix + "messages", "Committed messages, also those that were stored before.",
            [([], Double(counters.messages))])
        let kinds: [UplinkChannel] = [.location, .geofence, .timeline, .givenUp]
        text.counter(
            prefix + "records", "New records.",
            kinds.map { ([("kind", $0.rawValue)], Double(counters.records[$0] ?? 0)) })
        text.counter(
            prefix + "rejected_messages", "Messages that violate the contract.", [([], Double(counters.rejected))])
        text.counter(
            prefix + "refused_messages", "Messages of vehicles that have sent too much.",
            IntakeRefusal.allCases.map { ([("reason", $0.rawValue)], Double(counters.refused[$0] ?? 0)) })
        text.counter(prefix + "batches", "Committed transactions with messages.", [([], Double(counters.batches))])
        text.counter(
            prefix + "database_errors", "Failed attempts to open or to use the database.",
            [([], Double(counters.databaseErrors))])
        text.counter(prefix + "receipts", "Published receipts.", [([], Double(counters.receipts))])
        text.gauge(
            prefix + "silent_vehicles", "Vehicles without a sign of life for an hour although they should report.",
            [([], Double(counters.silentVehicles))])
    }

    private func addLag(to text: inout OpenMetricsText) {
        let prefix = Self.prefix
        text.histogram(
            prefix + "lag_seconds", "The time from a fix to its arrival.",
            [([("lane", "live")], counters.liveLag), ([("lane", "backlog")], counters.backlogLag)])
        text.histogram(
            prefix + "commit_delay_seconds", "The time from the arrival of a transaction's first message to its end.",
            [([], counters.commitDelay)])
        let worst = counters.lags.sorted { left, right in
            (right.value.seconds, left.key.fleet, left.key.device) < (
                left.value.seconds, right.key.fleet, right.key.device
            )
        }
        text.gauge(
            prefix + "vehicle_lag_seconds",
            "The lag of the newest position of the \(Self.worstVehicles) vehicles with the greatest lag.",
            worst.prefix(Self.worstVehicles).map { ([("fleet", $0.fleet), ("device", $0.device)], $1.seconds) })
    }

    private func addDatabase(_ status: RecorderStatus, to text: inout OpenMetricsText) {
        let prefix = Self.prefix
        text.gauge(
            prefix + "vehicles", "Known vehicles by the state of their newest status.",
            [
                ([("state", "online")], Double(status.online)),
                ([("state", "other")], Double(status.vehicles - status.online)),
            ])
        for (name, help, value) in [
            ("stored_records", "Records that were stored at any time.", status.records),
            ("open_gaps", "Ranges of missing numbers without an explanation.", status.openGaps),
            ("open_numbers", "Missing numbers without an explanation.", status.openNumbers),
            ("given_up_numbers", "Numbers that vehicles have given up.", status.givenUpNumbers),
            ("conflicts", "Found records with the number of another record and other contents.", status.conflicts),
            ("rejected_kept", "Kept messages that violate the contract.", status.rejected),
        ] {
            text.gauge(prefix + name, help, [([], Double(value))])
        }
        if !status.notifications.isEmpty {
            addNotifications(status.notifications, to: &text)
        }
        if !status.floods.isEmpty { addFloods(status.floods, to: &text) }
        if let relay = status.relay {
            text.counter(
                prefix + "relayed_records", "Records that the relay's target has answered.",
                [([("result", "accepted")], Double(relay.relayed)), ([("result", "refused")], Double(relay.refused))])
            text.gauge(
                prefix + "relay_waiting_records", "Records after the place of the relay.", [([], Double(relay.waiting))]
            )
        }
    }

    private func addNotifications(_ counts: [NotificationCounts], to text: inout OpenMetricsText) {
        text.counter(
            Self.prefix + "notifications", "Notifications of rules that do not wait any more.",
            counts.flatMap { counts in
                [
                    ([("rule", counts.rule), ("result", "delivered")], Double(counts.delivered)),
                    ([("rule", counts.rule), ("result", "dropped")], Double(counts.dropped)),
                ]
            })
        text.gauge(
            Self.prefix + "waiting_notifications", "Notifications of rules that wait for their delivery.",
            counts.map { ([("rule", $0.rule)], Double($0.waiting)) })
    }

    private func addFloods(_ floods: [NotificationFlood], to text: inout OpenMetricsText) {
        text.counter(
            Self.prefix + "vehicle_dropped_notifications",
            "Notifications of the \(NotificationFlood.maximumRows) vehicles whose ones were dropped last: too many.",
            floods.map { ([("rule", $0.rule), ("fleet", $0.fleet), ("device", $0.device)], Double($0.dropped)) })
    }
}
