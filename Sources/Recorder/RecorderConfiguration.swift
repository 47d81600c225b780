import OdographHTTP
import OdographSettings

/// The configuration of a recorder.
package struct RecorderConfiguration: Hashable, Sendable {
    /// The broker. The client id is nil if the file has none, see ``RecorderClientIdentity``.
    package var broker: BrokerConfiguration
    /// The first part of every topic.
    package var root: String
    /// The fleets whose vehicles are recorded.
    package var fleets: [String]
    /// The database.
    package var database: DatabaseLocation
    /// When a batch of messages is written.
    package var batch: BatchLimits
    /// The bytes that one vehicle may add.
    package var limits: VehicleLimits
    /// The receipts.
    package var receipts: ReceiptSettings
    /// The age above which records are removed, days; nil to keep all.
    package var retentionDays: Int?
    /// The answers to requests about the past.
    package var history: HistorySettings
    /// The metrics; nil for none.
    package var metrics: MetricsSettings?
    /// The rules.
    package var rules: [Rule]
    /// The relay to Traccar; nil for none.
    package var relay: RelaySettings?

    /// The topic filters of the subscriptions. They do not overlap, because a broker can send a message once for each
    /// filter that matches.
    package var filters: [String] {
        fleets.flatMap { fleet in
            ["location/#", "geofence/#", "timeline/#", "given_up/#", "batch", "status", "reported"]
                .map { "\(root)/\(fleet)/+/\($0)" } + [receiptFilter(of: fleet)]
        }
    }

    /// Returns the topic filter of the own receipts in a fleet.
    func receiptFilter(of fleet: String) -> String { "\(root)/\(fleet)/+/receipt/\(receipts.store)" }

    /// Sets the file of the metrics.
    package mutating func setMetricsFile(_ path: String) {
        metrics = MetricsSettings(path: path, seconds: metrics?.seconds ?? MetricsSettings(path: path).seconds)
    }

    /// The files with tokens for web services.
    package var tokenFiles: [SecretFile] {
        let services =
            rules.compactMap { rule in if case .webhook(let service) = rule.target { service } else { nil } }
            + [relay?.service].compactMap { $0 }
        return Set(services.compactMap(\.tokenFile)).sorted().map { SecretFile(path: $0, role: "token") }
    }

    /// Lines about metrics, rules and relay for people.
    package var serviceLines: String {
        var lines: [String] = []
        if let metrics { lines.append("metrics   \(metrics.path), every \(metrics.seconds.shortText) s") }
        lines += rules.map { "rule      \($0.name): \($0.condition.kind.rawValue), to \($0.target.description)" }
        if let relay { lines.append("relay     \(relay.service.address.origin)") }
        return lines.map { $0 + "\n" }.joined()
    }
}
